"""Search-R1's loop for verl: one growing text, ``<search>`` answered by ``<information>``, in one assistant turn.

Name it by ``actor_rollout_ref.rollout.agent.agent_loop_config_path``, a YAML file of

.. code-block:: yaml

    - name: search_tags
      _target_: humbly.verl.agent_loop.SearchTagsAgentLoop
      url: http://127.0.0.1:8000/retrieve

and ``actor_rollout_ref.rollout.agent.default_agent_loop=search_tags``, or per row by a column ``agent_name``.

Where this differs from Search-R1's own loop:

1. Tokens that the model drew stay as they were drawn: a turn is cut between tokens and never tokenised again, so that
   log-probabilities and mask fit. A last token that reaches beyond the end of an action stays whole.
2. A long observation is cut inside its tags, which then close.
3. Tags in retrieved text are quoted (``&lt;answer>``), so that a page can neither answer nor break the format.
"""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register
from verl.utils.profiler import simple_timer

from humbly import _rollouts
from humbly._humbly import ParameterError
from humbly._retrieval import Retriever
from humbly._search_turns import INVALID, STOPS, Turn, read_turn

__all__ = ["SearchTagsAgentLoop"]


@register("search_tags")
class SearchTagsAgentLoop(AgentLoopBase):
    """Generates up to ``max_turns`` turns that may search, then one that has to answer.

    Model tokens have mask 1, observations and the sentence on an invalid action 0. A search that fails for good
    raises :class:`humbly.InputError`: it must not look like a fault of the policy. With ``mask_void_turns`` a rollout
    of which one turn neither searched nor answered has mask 0 throughout, as in SimpleTIR.
    """

    def __init__(
        self,
        *args: Any,
        url: str = Retriever.url,
        topk: int = Retriever.topk,
        timeout_seconds: float = Retriever.timeout_seconds,
        attempts: int = 8,
        max_turns: int = 4,
        max_turn_tokens: int = 500,
        max_observation_tokens: int = 500,
        mask_void_turns: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if min(max_turns + 1, max_turn_tokens, max_observation_tokens) < 1:
            raise ParameterError(
                f"max_turns {max_turns}, max_turn_tokens {max_turn_tokens}, max_observation_tokens "
                f"{max_observation_tokens}: expected 0 or more turns and 1 or more tokens"
            )
        self.retriever = Retriever(url, topk, timeout_seconds, attempts)
        self.max_turns = max_turns
        self.max_turn_tokens = max_turn_tokens
        self.max_observation_tokens = max_observation_tokens
        self.mask_void_turns = mask_void_turns

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> AgentLoopOutput:
        """One rollout of one row."""
        prompt = await self.ct_build_initial_tokens(list(kwargs["raw_prompt"]))
        rollout = _Rollout(prompt, self.rollout_config.response_length)
        metrics: dict[str, Any] = {}
        request = uuid4().hex
        turns = 0
        is_void = False
        for turn_index in range(self.max_turns + 1):
            turn = await self._generate(request, rollout, dict(sampling_params), metrics)
            turns += 1
            is_void |= turn.query is None and not turn.is_answer
            is_last = turn_index == self.max_turns
            if turn.is_answer or is_last or rollout.room <= 0:
                break
            observation = await self._observe(turn, metrics)
            if len(observation) >= rollout.room:
                # Without room for a word after it the observation only hides that the model went on searching.
                break
            rollout.observe(observation)
            turns += 1
        return AgentLoopOutput(
            prompt_ids=rollout.prompt,
            response_ids=rollout.response,
            # The reward still enters the statistics of the group.
            response_mask=[0] * len(rollout.mask) if is_void and self.mask_void_turns else rollout.mask,
            response_logprobs=rollout.logprobs,
            num_turns=turns + 1,
            metrics=metrics,
            extra_fields={**rollout.extra_fields, "turn_scores": [], "tool_rewards": []},
        )

    async def _generate(
        self, request: str, rollout: _Rollout, sampling_params: dict[str, Any], metrics: dict[str, Any]
    ) -> Turn:
        sampling_params["max_tokens"] = min(self.max_turn_tokens, rollout.room)
        if not getattr(self.rollout_config, "skip_tokenizer_init", True):
            # An engine with a tokeniser need not draw what is cut off anyway.
            sampling_params |= {"stop": list(STOPS), "include_stop_str_in_output": True}
        with simple_timer("generate_sequences", metrics):
            output = await self.server_manager.generate(
                request_id=request,
                prompt_ids=rollout.prompt + rollout.response,
                sampling_params=sampling_params,
            )
        if output.num_preempted is not None:
            metrics["num_preempted"] = metrics.get("num_preempted", 0) + output.num_preempted
        text = self.tokenizer.decode(output.token_ids, skip_special_tokens=True)
        turn = read_turn(text)
        # What ends as the model ended it keeps its end marker; a turn that goes on must not.
        keep = len(output.token_ids)
        if turn.text != text:
            keep = self._covering(output.token_ids, turn.text)
        elif not turn.is_answer:
            keep = self._without_end(output.token_ids)
        rollout.generate(output, keep)
        return turn

    def _covering(self, token_ids: list[int], text: str) -> int:
        """The fewest leading tokens whose text holds all of ``text``."""
        low, high = 0, len(token_ids)
        while low < high:
            middle = (low + high) // 2
            if self.tokenizer.decode(token_ids[:middle], skip_special_tokens=True).startswith(text):
                high = middle
            else:
                low = middle + 1
        return low

    def _without_end(self, token_ids: list[int]) -> int:
        special = set(self.tokenizer.all_special_ids)
        keep = len(token_ids)
        while keep and token_ids[keep - 1] in special:
            keep -= 1
        return keep

    async def _observe(self, turn: Turn, metrics: dict[str, Any]) -> list[int]:
        if turn.query is None:
            return self._encode(INVALID)
        with simple_timer("tool_calls", metrics):
            [passages] = await asyncio.to_thread(self.retriever, [turn.query])
        ids = self._encode(_rollouts.quoted(passages))
        if len(ids) > self.max_observation_tokens:
            passages = self.tokenizer.decode(ids[: self.max_observation_tokens], skip_special_tokens=True)
        return self._encode(_rollouts.information(passages))

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False))


class _Rollout:
    """The tokens so far, with mask and log-probabilities beside them."""

    def __init__(self, prompt: list[int], limit: int) -> None:
        self.prompt = list(prompt)
        self.response: list[int] = []
        self.mask: list[int] = []
        self.logprobs: list[float] | None = None
        self.extra_fields: dict[str, Any] = {}
        self._limit = limit

    @property
    def room(self) -> int:
        """Tokens that still fit."""
        return self._limit - len(self.response)

    def generate(self, output: Any, keep: int) -> None:
        """Append the first ``keep`` tokens of what the model drew."""
        keep = min(keep, self.room)
        if output.log_probs is not None:
            if self.logprobs is None:
                self.logprobs = [0.0] * len(self.response)
            self.logprobs += output.log_probs[:keep]
        self.response += output.token_ids[:keep]
        self.mask += [1] * keep
        self.extra_fields = {**output.extra_fields, **self.extra_fields}
        if "max_global_steps" in output.extra_fields:
            self.extra_fields["max_global_steps"] = output.extra_fields["max_global_steps"]

    def observe(self, token_ids: list[int]) -> None:
        """Append what the environment wrote."""
        self.response += token_ids
        self.mask += [0] * len(token_ids)
        if self.logprobs is not None:
            self.logprobs += [0.0] * len(token_ids)
