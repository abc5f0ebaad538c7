"""The search as verl's native tool, for models that call tools in their chat template rather than by tags.

verl removed its own ``SearchTool``. Name this one in the file of ``multi_turn.tool_config_path``:

.. code-block:: yaml

    tools:
      - class_name: humbly.verl.tools.SearchTool
        config: {type: native, url: "http://127.0.0.1:8000/retrieve", topk: 3}

and set ``multi_turn.max_tool_response_length``, which counts characters: at its default of 256 a page is cut to a
fragment.
"""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

from verl.tools.base_tool import BaseTool
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse

from humbly import _rollouts
from humbly._humbly import InputError
from humbly._logs import HumblyWarning
from humbly._retrieval import Retriever

__all__ = ["SearchTool"]

_SCHEMA = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Searches a corpus and returns the best passages for each query.",
        "parameters": {
            "type": "object",
            "properties": {
                "query_list": {"type": "array", "description": "Self-contained queries, one a fact that is looked for."}
            },
            "required": ["query_list"],
        },
    },
}


class SearchTool(BaseTool):
    """Passages for a list of queries from a server of Search-R1's protocol (``humbly serve search``)."""

    def __init__(self, config: dict[str, Any], tool_schema: OpenAIFunctionToolSchema | None = None) -> None:
        super().__init__(config, tool_schema or OpenAIFunctionToolSchema.model_validate(_SCHEMA))
        settings = {name: config[name] for name in ("url", "topk", "timeout_seconds", "attempts") if name in config}
        self.retriever = Retriever(**settings)
        self._has_warned = False

    def get_openai_tool_schema(self) -> OpenAIFunctionToolSchema:
        """What the model is told of the tool."""
        return self.tool_schema

    async def execute(
        self, instance_id: str, parameters: dict[str, Any], **kwargs: Any
    ) -> tuple[ToolResponse, float, dict[str, float]]:
        """Search; a call without usable queries and a server that fails are told to the model and counted apart."""
        self._warn_of_cuts(kwargs.get("agent_data"))
        queries = parameters.get("query_list", parameters.get("query"))
        queries = [queries] if isinstance(queries, str) else queries
        if not isinstance(queries, list) or not queries or not all(isinstance(query, str) for query in queries):
            told = ToolResponse(text="The call has no query_list, a list of texts.")
            return told, 0.0, {"invalid_call": 1.0, "search_failed": 0.0}
        try:
            passages = await asyncio.to_thread(self.retriever, queries)
        except InputError as failed:
            return ToolResponse(text=f"The search failed: {failed}"), 0.0, {"invalid_call": 0.0, "search_failed": 1.0}
        text = "\n\n".join(_rollouts.quoted(found).strip() or "Nothing was found." for found in passages)
        return ToolResponse(text=text), 0.0, {"invalid_call": 0.0, "search_failed": 0.0}

    def _warn_of_cuts(self, agent_data: Any) -> None:
        """Warns once where an earlier answer of this rollout reached the model cut; verl's limit is not told to a tool."""
        messages = getattr(agent_data, "messages", None) or ()
        if self._has_warned or not any(_is_cut(message) for message in messages):
            return
        self._has_warned = True
        told = (
            "verl cuts what the search found; raise actor_rollout_ref.rollout.multi_turn.max_tool_response_length, which "
            "counts characters, to the length of all passages together"
        )
        warnings.warn(told, HumblyWarning, stacklevel=3)


def _is_cut(message: dict[str, Any]) -> bool:
    return message.get("role") == "tool" and "(truncated)" in str(message.get("content"))
