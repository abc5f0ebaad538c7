"""A client of Search-R1's retrieval protocol, which ``humbly serve search`` speaks. Standard library only."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from humbly._humbly import InputError

__all__ = ["Retriever"]

_RETRIED = frozenset({429, 502, 503, 504})


@dataclass(frozen=True)
class Retriever:
    """Asks ``POST /retrieve`` and writes the passages as Search-R1 shows them."""

    url: str = "http://127.0.0.1:8000/retrieve"
    """Where the server listens."""
    topk: int = 3
    """Passages a query."""
    timeout_seconds: float = 30.0
    """Of one request."""
    attempts: int = 4
    """Tries where the server is busy or does not answer."""

    def __call__(self, queries: Sequence[str]) -> list[str]:
        """One text of passages a query, empty where nothing was found.

        :raises humbly.InputError: no usable answer after all attempts; what was asked of which server.
        """
        found = self._result(queries)
        try:
            return ["".join(_passage(at, hit) for at, hit in enumerate(hits, 1)) for hits in found]
        except (KeyError, TypeError) as failed:
            raise InputError(f"{self.url} answered a hit without `document.contents`") from failed

    def _result(self, queries: Sequence[str]) -> list[list[dict[str, Any]]]:
        body = {"queries": list(queries), "topk": self.topk, "return_scores": True}
        request = urllib.request.Request(
            self.url, json.dumps(body).encode(), {"content-type": "application/json"}, method="POST"
        )
        for attempt in range(1, self.attempts + 1):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout_seconds) as answer:
                    found: list[list[dict[str, Any]]] = json.load(answer)["result"]
                if len(found) != len(queries):
                    raise InputError(f"{self.url} answered {len(found)} lists to {len(queries)} queries")
                return found
            except urllib.error.HTTPError as failed:
                if failed.code not in _RETRIED or attempt == self.attempts:
                    raise InputError(f"{self.url} answered status {failed.code}") from failed
            except OSError as failed:
                if attempt == self.attempts:
                    raise InputError(f"{self.url} does not answer: {failed}; start `humbly serve search`") from failed
            except (ValueError, KeyError, TypeError) as failed:
                raise InputError(f"{self.url} answered no JSON object with `result`") from failed
            time.sleep(0.2 * 2**attempt)
        raise AssertionError("every last attempt returns or raises")


def _passage(at: int, hit: dict[str, Any]) -> str:
    title, _, text = hit.get("document", hit)["contents"].partition("\n")
    return f"Doc {at}(Title: {title}) {text}\n"
