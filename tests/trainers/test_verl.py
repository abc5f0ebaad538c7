"""The plug-in of verl against verl itself: its reward loop on Ray, its agent loop worker, its config, its data set."""

from __future__ import annotations

import asyncio
import functools
import json
import math
import os
import pathlib
import pickle
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import humbly
from humbly.verl import KEYS, compute_score

RIGHT = "<think>of France</think><confidence>90</confidence><answer>Paris</answer>"
WRONG = "<think>of France</think><confidence>90</confidence><answer>Lyon</answer>"
TEXTS = [RIGHT, WRONG, "no tag at all", "", "<think>\ud800</think>" + "{" * 200_000]
REWARD = {"reward": "mscr", "settings": {"scale": "percent"}}
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "trainers" / "verl"


def config(met: Any, *overrides: str) -> Any:
    """verl's own configuration, composed by Hydra."""
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    folder = pathlib.Path(met("verl", "verl").__file__).parent / "trainer" / "config"
    GlobalHydra.instance().clear()
    with initialize_config_dir(config_dir=str(folder), version_base=None):
        return compose("ppo_trainer", overrides=list(overrides))


def reward_overrides(model: pathlib.Path, manager: str = "naive") -> list[str]:
    return [
        f"actor_rollout_ref.model.path={model}",
        "reward.custom_reward_function.path=pkg://humbly.verl",
        "reward.custom_reward_function.name=compute_score",
        "+reward.custom_reward_function.reward_kwargs.reward=mscr",
        "+reward.custom_reward_function.reward_kwargs.settings.scale=percent",
        f"reward.reward_manager.name={manager}",
        "reward.num_workers=2",
    ]


def batch(tokens: Any, texts: list[str], truths: list[Any], sources: list[str]) -> Any:
    """Rollouts as the trainer holds them: padded on the right, with an end marker."""
    from tensordict import TensorDict
    from verl import DataProto

    ids = [tokens.encode(text, add_special_tokens=False) + [tokens.eos_token_id] for text in texts]
    width = max(map(len, ids))
    responses = torch.tensor([row + [tokens.pad_token_id] * (width - len(row)) for row in ids])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in ids])
    prompts = torch.tensor([[tokens.eos_token_id] * 4] * len(ids))
    tensors = {
        "prompts": prompts,
        "responses": responses,
        "attention_mask": torch.cat([torch.ones_like(prompts), mask], dim=1),
    }
    return DataProto(
        batch=TensorDict(tensors, batch_size=len(ids)),
        non_tensor_batch={
            "data_source": np.array(sources, dtype=object),
            "reward_model": np.array([{"style": "rule", "ground_truth": truth} for truth in truths], dtype=object),
            "extra_info": np.array([{"index": at, "split": "train"} for at in range(len(ids))], dtype=object),
        },
    )


@pytest.fixture(scope="module")
def tokens(tiny_model: pathlib.Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(tiny_model)


@pytest.fixture(scope="module")
def ray_here(met: Any) -> Iterator[Any]:
    ray = met("ray", "ray")
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": ":".join(sys.path)}},
    )
    yield ray
    ray.shutdown()


def test_the_same_keys_whatever_comes() -> None:
    """Cases mixed-return-types, missing-key-none and components-logging-pr."""
    truths = [
        "Paris",
        ["Paris"],
        {"target": ["Paris"]},
        {"target": np.array(["Paris"], dtype=object)},
        None,
        7,
        object(),
    ]
    for text in TEXTS:
        for truth in truths:
            for source in ("nq", "math"):
                row = compute_score(source, text, truth, None, **REWARD)
                assert tuple(row) == KEYS
                assert all(type(value) is float and math.isfinite(value) for value in row.values())


def test_one_failure_is_counted_and_leaves_the_others_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Case mv-swallow-fix: seven scores unchanged, one error counted and logged."""
    truths: list[Any] = ["Paris"] * 8
    truths[3] = object()
    rows = [compute_score("nq", RIGHT, truth, {}, **REWARD) for truth in truths]
    assert sum(row["error"] for row in rows) == 1
    assert [row["score"] for at, row in enumerate(rows) if at != 3] == [pytest.approx(1.495)] * 7
    assert (rows[3]["scorable"], rows[3]["correct"], rows[3]["acc"]) == (0.0, -1.0, -1.0)
    assert "could not be scored" in caplog.text and "ground truth is a object" in caplog.text


def test_a_wrong_setting_stops_the_training_at_once() -> None:
    with pytest.raises(humbly.ParameterError, match="mscr"):
        compute_score("nq", RIGHT, "Paris", {}, reward="mcsr")
    with pytest.raises(humbly.ParameterError, match="beta3"):
        compute_score("nq", RIGHT, "Paris", {}, settings={"beta3": 1})


def test_it_may_be_pickled_and_called_from_threads() -> None:
    """Case pickle-closure."""
    partial = functools.partial(compute_score, **REWARD)
    assert pickle.loads(pickle.dumps(compute_score)) is compute_score
    copied = pickle.loads(pickle.dumps(partial))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda at: copied("nq", TEXTS[at % 4], "Paris", {"index": at}), range(400)))
    assert found == [partial("nq", TEXTS[at % 4], "Paris", {"index": at}) for at in range(400)]


@pytest.mark.parametrize("manager", ["naive", "dapo"])
def test_the_reward_managers_score_in_their_thread_pool(met: Any, tiny_model: Any, tokens: Any, manager: str) -> None:
    from verl.experimental.reward_loop.reward_loop import RewardLoopWorker

    worker = RewardLoopWorker(config(met, *reward_overrides(tiny_model, manager)))
    texts = [RIGHT, WRONG, "no tag at all", RIGHT] * 8
    truths: list[Any] = ["Paris", {"target": ["Paris"]}, ["Paris"], None] * 8
    rows = worker.loop.run_until_complete(worker.compute_score_batch(batch(tokens, texts, truths, ["nq"] * 32)))
    assert [row["reward_score"] for row in rows] == [pytest.approx(score) for score in [1.495, -0.405, -0.7, 0.0] * 8]
    assert {tuple(row["reward_extra_info"]) for row in rows} == {KEYS}
    assert [row["reward_extra_info"]["scorable"] for row in rows] == [1.0, 1.0, 1.0, 0.0] * 8


def test_the_reward_loop_on_ray(met: Any, ray_here: Any, tiny_model: Any, tokens: Any) -> None:
    from verl.experimental.reward_loop.reward_loop import RewardLoopManager
    from verl.trainer.ppo.metric_utils import process_validation_metrics

    manager = RewardLoopManager(config(met, *reward_overrides(tiny_model)))
    texts = [RIGHT, WRONG, "no tag at all"] * 3
    sources = ["nq", "nq", "math"] * 3
    data = batch(tokens, texts, [{"target": ["Paris"]}] * 9, sources)
    scored = manager.compute_rm_score(data)
    # The reward stands on the last token of each response.
    sums = scored.batch["rm_scores"].sum(dim=1).tolist()
    assert sums == [pytest.approx(score, abs=1e-6) for score in [1.495, -0.405, -0.7] * 3]
    assert (scored.batch["rm_scores"] != 0).sum(dim=1).tolist() == [1] * 9
    assert scored.meta_info["reward_extra_keys"] == list(KEYS)
    assert scored.non_tensor_batch["confidence"].tolist() == [0.9, 0.9, -1.0] * 3
    # What verl makes of it in validation.
    infos = {key: scored.non_tensor_batch[key].tolist() for key in KEYS}
    metrics = process_validation_metrics(sources, [str(at % 3) for at in range(9)], infos)
    assert metrics["nq"]["acc"]["mean@3"] == pytest.approx(0.5)
    assert metrics["math"]["error"]["mean@3"] == 0.0


class ScriptedServer:
    """Stands in for the inference engine alone: hands out texts in turn, one token a byte."""

    def __init__(self, tokens: Any, texts: list[str]) -> None:
        self.tokens, self.texts, self.seen, self.asked = tokens, list(texts), [], []

    async def generate(self, request_id: str, *, prompt_ids: list[int], sampling_params: dict, **_: Any) -> Any:
        from verl.workers.rollout.replica import TokenOutput

        self.seen.append(self.tokens.decode(prompt_ids))
        self.asked.append(sampling_params)
        ids = self.tokens.encode(self.texts.pop(0), add_special_tokens=False)[: sampling_params["max_tokens"]]
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids), extra_fields={"max_global_steps": 3})


def rollout(met: Any, model: Any, tokens: Any, tmp_path: pathlib.Path, texts: list[str], **settings: Any) -> Any:
    """One row through verl's own worker, with our loop from its configuration file."""
    from verl import DataProto
    from verl.experimental.agent_loop.agent_loop import AgentLoopWorker

    loops = tmp_path / "loops.yaml"
    written = "".join(f"  {name}: {value}\n" for name, value in settings.items())
    loops.write_text(f"- name: search_tags\n  _target_: humbly.verl.agent_loop.SearchTagsAgentLoop\n{written}")
    overrides = [
        *reward_overrides(model),
        "actor_rollout_ref.rollout.name=vllm",
        f"actor_rollout_ref.rollout.agent.agent_loop_config_path={loops}",
        "actor_rollout_ref.rollout.agent.default_agent_loop=search_tags",
        "data.max_prompt_length=256",
        "data.max_response_length=1024",
    ]
    server = ScriptedServer(tokens, texts)

    async def run() -> Any:
        worker = AgentLoopWorker(config(met, *overrides), server)
        prompt = [{"role": "user", "content": "Answer like <answer>Beijing</answer>. Capital of France?"}]
        rows = DataProto.from_dict(
            tensors={"dummy_tensor": torch.zeros(1, 1)},
            non_tensors={"raw_prompt": np.array([prompt + [None]], dtype=object)[:, :-1]},
        )
        return await worker.generate_sequences(rows)

    return SimpleNamespace(found=asyncio.run(run()), server=server)


SEARCHES = [
    "<think>Which city?</think><search>capital of France</search> and then it would make up results",
    "<think>It says so.</think>\n<confidence>90</confidence>\n<answer>Paris</answer><|im_end|>",
]


def texts_by_mask(tokens: Any, found: Any) -> tuple[str, str]:
    ids, mask = found.batch["responses"][0], found.batch["response_mask"][0]
    attended = found.batch["attention_mask"][0, -ids.shape[0] :]
    return tokens.decode(ids[mask == 1]), tokens.decode(ids[(mask == 0) & (attended == 1)])


def test_a_search_rollout_by_verls_agent_loop_worker(
    met: Any, tiny_model: Any, tokens: Any, search_server: str, tmp_path: pathlib.Path
) -> None:
    """Case ragen-mask-inverted: model tokens 1, observations 0; and the response scores as it should."""
    run = rollout(met, tiny_model, tokens, tmp_path, SEARCHES, url=search_server)
    model, environment = texts_by_mask(tokens, run.found)
    assert model == (
        "<think>Which city?</think><search>capital of France</search>"
        "<think>It says so.</think>\n<confidence>90</confidence>\n<answer>Paris</answer><|im_end|>"
    )
    assert environment.startswith('\n\n<information>Doc 1(Title: "Paris") Paris is the capital of France')
    assert environment.endswith("</information>\n\n")
    assert run.server.seen[1].endswith(environment)
    logprobs, mask = run.found.batch["rollout_log_probs"][0], run.found.batch["response_mask"][0]
    assert torch.equal(logprobs, torch.where(mask == 1, -0.5, 0.0))
    response = tokens.decode(run.found.batch["responses"][0], skip_special_tokens=True)
    row = compute_score("nq", response, "Paris", {}, **REWARD)
    assert (row["score"], row["format_valid"], row["searches"]) == (pytest.approx(1.495), 1.0, 1.0)
    assert run.found.non_tensor_batch["__num_turns__"].tolist() == [4]


def test_retrieved_text_cannot_answer(
    met: Any, tiny_model: Any, tokens: Any, search_server: str, tmp_path: pathlib.Path
) -> None:
    turns = [SEARCHES[0].replace("capital of France", "poison passage traps"), SEARCHES[1]]
    run = rollout(met, tiny_model, tokens, tmp_path, turns, url=search_server)
    _, environment = texts_by_mask(tokens, run.found)
    assert "&lt;answer>Berlin&lt;/answer>" in environment and environment.count("</information>") == 1
    response = tokens.decode(run.found.batch["responses"][0], skip_special_tokens=True)
    row = compute_score("nq", response, "Paris", {}, **REWARD)
    assert (row["format_valid"], row["answers"], row["correct"]) == (1.0, 1.0, 1.0)


def test_a_turn_without_action_is_told_so_and_breaks_the_format(
    met: Any, tiny_model: Any, tokens: Any, search_server: str, tmp_path: pathlib.Path
) -> None:
    """Case void-turn on the side of the loop: mask 0 for the sentence, no end marker in the middle."""
    run = rollout(met, tiny_model, tokens, tmp_path, ["I am lost.<|im_end|>", SEARCHES[1]], url=search_server)
    model, environment = texts_by_mask(tokens, run.found)
    assert model.startswith("I am lost.<think>") and "neither a search nor an answer" in environment
    response = tokens.decode(run.found.batch["responses"][0], skip_special_tokens=True)
    row = compute_score("nq", response, "Paris", {}, **REWARD)
    assert (row["format_valid"], row["correct"]) == (0.0, 1.0)
    turns = ["I am lost.<|im_end|>", SEARCHES[1]]
    run = rollout(met, tiny_model, tokens, tmp_path, turns, url=search_server, mask_void_turns=True)
    assert run.found.batch["response_mask"].sum() == 0
    run = rollout(met, tiny_model, tokens, tmp_path, SEARCHES, url=search_server, mask_void_turns=True)
    assert run.found.batch["response_mask"].sum() > 0


def test_turns_and_observations_are_bounded(
    met: Any, tiny_model: Any, tokens: Any, search_server: str, tmp_path: pathlib.Path
) -> None:
    run = rollout(
        met, tiny_model, tokens, tmp_path, [SEARCHES[0]] * 9, url=search_server, max_turns=2, max_observation_tokens=40
    )
    model, environment = texts_by_mask(tokens, run.found)
    assert model.count("<search>") == 3 and environment.count("</information>") == 2
    assert len(environment) == 2 * (40 + len("\n\n<information></information>\n\n"))
    # The response never grows beyond what the trainer has room for.
    run = rollout(met, tiny_model, tokens, tmp_path, ["<think>" + "a" * 2_000] * 9, url=search_server)
    assert run.found.batch["responses"].shape == (1, 1024)


def test_a_dead_search_server_stops_the_rollout(met: Any, tiny_model: Any, tokens: Any, tmp_path: pathlib.Path) -> None:
    with pytest.raises(humbly.InputError, match="does not answer"):
        rollout(met, tiny_model, tokens, tmp_path, SEARCHES, url="http://127.0.0.1:9/retrieve", attempts=1)


def test_the_native_search_tool(met: Any, search_server: str, tmp_path: pathlib.Path) -> None:
    from verl.tools.tool_registry import load_all_tools

    listed = tmp_path / "tools.yaml"
    listed.write_text(
        "tools:\n- class_name: humbly.verl.tools.SearchTool\n"
        f'  config: {{type: native, url: "{search_server}", topk: 1, attempts: 1}}\n'
    )
    [tool] = load_all_tools(tool_config_path=str(listed), function_tool_path=None)
    assert tool.name == "search"

    async def call(parameters: dict) -> Any:
        instance, _ = await tool.create()
        answer = await tool.execute(instance, parameters)
        await tool.release(instance)
        return answer

    told, reward, metrics = asyncio.run(call({"query_list": ["capital of France", "poison passage traps"]}))
    assert "Paris is the capital of France" in told.text and "&lt;answer>" in told.text
    assert (reward, metrics) == (0.0, {"invalid_call": 0.0, "search_failed": 0.0})
    _, _, metrics = asyncio.run(call({"query_list": [3]}))
    assert metrics == {"invalid_call": 1.0, "search_failed": 0.0}
    tool.retriever = type(tool.retriever)(url="http://127.0.0.1:9/retrieve", attempts=1)
    told, _, metrics = asyncio.run(call({"query_list": ["x"]}))
    assert "failed" in told.text and metrics["search_failed"] == 1.0


def test_results_that_verl_cuts_are_told(met: Any, search_server: str) -> None:
    """Case tool-trunc-chars: verl's own cut, met again in the messages of the rollout."""
    met("verl", "verl")
    from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
    from verl.tools.schemas import ToolResponse

    from humbly.verl.tools import SearchTool

    def searched(limit: int) -> str:
        """Two searches, the first answered within ``limit`` characters."""
        tool = SearchTool({"type": "native", "url": search_server, "topk": 3, "attempts": 1})
        loop = SimpleNamespace(tools={"search": tool}, max_tool_response_length=limit, tool_response_truncate_side="middle")
        data = SimpleNamespace(messages=[], tools_kwargs={}, active_tools=None)
        asked = SimpleNamespace(name="search", arguments='{"query_list": ["city in France", "capital of France"]}')

        async def run() -> str:
            for _ in range(2):
                answer, _, _ = await ToolAgentLoop._call_tool(loop, asked, {}, data)
                assert isinstance(answer, ToolResponse) and answer.text
                data.messages.append({"role": "tool", "content": answer.text})
            return answer.text

        return asyncio.run(run())

    with pytest.warns(humbly.HumblyWarning, match="max_tool_response_length"):
        assert "(truncated)" in searched(100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "(truncated)" not in searched(4_000)


LAUNCHED = {
    "car": {
        "algorithm.adv_estimator": "grpo",
        "actor_rollout_ref.actor.optim.lr": 5e-7,
        "actor_rollout_ref.actor.optim.lr_warmup_steps_ratio": 0.285,
        "actor_rollout_ref.actor.ppo_mini_batch_size": 256,
        "actor_rollout_ref.actor.kl_loss_coef": 0.001,
        "actor_rollout_ref.actor.entropy_coeff": 0.001,
        "actor_rollout_ref.rollout.n": 5,
        "actor_rollout_ref.rollout.response_length": 4608,
        "data.train_batch_size": 512,
        "trainer.total_training_steps": 1005,
        "reward.custom_reward_function.reward_kwargs.settings.scale": "percent",
    },
    "rl_ua": {
        "algorithm.adv_estimator": "grpo",
        "actor_rollout_ref.actor.optim.lr": 1e-6,
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": 4,
        "actor_rollout_ref.model.enable_activation_offload": True,
        "actor_rollout_ref.rollout.name": "sglang",
        "actor_rollout_ref.rollout.response_length": 8192,
        "data.train_batch_size": 128,
        "trainer.total_epochs": 1,
        "reward.custom_reward_function.reward_kwargs.reward": "rl-ua",
    },
}


@pytest.mark.parametrize("name", LAUNCHED)
def test_the_launch_configurations_by_verls_own_entry_point(met: Any, tiny_model: pathlib.Path, name: str) -> None:
    """Composed by ``main_ppo`` itself, then held against verl's checks, its dataclasses and its reward worker."""
    met("verl", "verl")
    from omegaconf import OmegaConf
    from verl.experimental.reward_loop.reward_loop import RewardLoopWorker
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import omega_conf_to_dataclass, validate_config

    loops = EXAMPLES / "search_tags.yaml"
    command = [sys.executable, "-m", "verl.trainer.main_ppo", "--config-dir", str(EXAMPLES), "--config-name", name]
    overrides = ["--cfg", "job", f"actor_rollout_ref.rollout.agent.agent_loop_config_path={loops}"]
    printed = subprocess.run([*command, *overrides], capture_output=True, text=True, check=True, cwd="/").stdout
    composed = OmegaConf.create(printed[printed.index("model_engine:") :])
    for key, expected in LAUNCHED[name].items():
        assert OmegaConf.select(composed, key) == expected, key
    assert need_reference_policy(composed) and not need_critic(composed)
    validate_config(composed, use_reference_policy=True, use_critic=False)
    for part in ("actor", "rollout"):
        omega_conf_to_dataclass(composed.actor_rollout_ref[part])
    composed.actor_rollout_ref.model.path = str(tiny_model)
    worker = RewardLoopWorker(composed)
    row = worker.reward_manager.compute_score("x", RIGHT, "Paris", {"label": "answerable"})
    assert row["score"] == pytest.approx(1.495 if name == "car" else -1.0)


def test_the_launch_scripts_run_up_to_the_training(met: Any, tmp_path: pathlib.Path) -> None:
    """Data and search server for real; verl then prints the configuration that it would train with."""
    met("verl", "verl")
    for name, command in (("python3", ""), ("humbly", "-m humbly")):
        (tmp_path / name).write_text(f'#!/bin/sh\nexec {sys.executable} {command} "$@"\n')
        (tmp_path / name).chmod(0o755)
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"id": "0", "contents": '"Paris"\nParis is a city.'}) + "\n")
    (tmp_path / "nq.jsonl").write_text(json.dumps({"question": "capital of france", "answer": ["Paris"]}) + "\n")
    hotpotqa = {
        "_id": "h1",
        "question": "Which city lies on the river that passes Paris?",
        "answer": "Rouen",
        "supporting_facts": [["Rouen", 0]],
        "context": [["Rouen", ["Rouen lies on the Seine."]]],
        "type": "bridge",
        "level": "hard",
    }
    (tmp_path / "hotpotqa.json").write_text(json.dumps([hotpotqa]))
    tasks = {"id": "a", "question": "What is x?", "answerable": False}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(tasks) + "\n")
    calls = {
        "car.sh": ["corpus.jsonl", "nq.jsonl", "hotpotqa.json", "nq.jsonl"],
        "rl_ua.sh": ["tasks.jsonl", "tasks.jsonl"],
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    known = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HUMBLY_SEARCH_PORT": port}
    for script, files in calls.items():
        command = [str(EXAMPLES / script), *files, "trainer.n_gpus_per_node=2", "--cfg", "job"]
        done = subprocess.run(command, cwd=tmp_path, env=known, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "n_gpus_per_node: 2" in done.stdout and "adv_estimator: grpo" in done.stdout
    assert {file.name for file in (tmp_path / "data").iterdir()} == {
        "nq.parquet",
        "hotpotqa.parquet",
        "train.parquet",
        "test.parquet",
    }


def test_the_exported_training_set_is_read_by_verls_data_set(met: Any, tokens: Any, tmp_path: pathlib.Path) -> None:
    met("verl", "verl")
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    asked = [
        {"id": "a", "dataset": "mine", "question": "Who?", "references": ["Ada", "Ada Lovelace"], "answerable": True},
        {"id": "b", "question": "What is x?", "answerable": False},
    ]
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in asked))
    command = [sys.executable, "-m", "humbly", "data", "export", "tasks.jsonl", "--format", "verl", "--to", "t.parquet"]
    subprocess.run([*command, "--scale", "percent"], check=True, cwd=tmp_path)
    settings = config(met, "data.max_prompt_length=2048", "data.filter_overlong_prompts=true").data
    rows = RLHFDataset(str(tmp_path / "t.parquet"), tokens, settings)
    assert len(rows) == 2
    batch = collate_fn([rows[0], rows[1]])
    assert batch["data_source"].tolist() == ["mine", "humbly"]
    [message] = batch["raw_prompt"][0]
    assert message["role"] == "user" and "from 0 to 100" in message["content"]
    assert batch["reward_model"][0] == {"style": "rule", "ground_truth": {"target": ["Ada", "Ada Lovelace"]}}
    assert [row["label"] for row in batch["extra_info"]] == ["answerable", "data"]
    answer = RIGHT.replace("Paris", "ada lovelace")
    truth, extra = batch["reward_model"][0]["ground_truth"], batch["extra_info"][0]
    assert compute_score("mine", answer, truth, extra, **REWARD)["correct"] == 1.0
    data = {
        "data_source": "x",
        "ground_truth": batch["reward_model"][1]["ground_truth"],
        "extra_info": batch["extra_info"][1],
    }
    assert compute_score(solution_str=r"\boxed{<DATA_UNCERTAIN>}", reward="rl-ua", **data)["score"] == 1.0
