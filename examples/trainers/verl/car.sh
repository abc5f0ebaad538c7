#!/usr/bin/env bash
# CAR on search: data, search server, training. Needs `humbly`, verl 0.9.1 with vLLM, and GPUs.
#
#   ./car.sh CORPUS.jsonl NQ.train.jsonl HOTPOTQA.train.json NQ.dev.jsonl [trainer.n_gpus_per_node=4 …]
#
# CORPUS has lines {"id": …, "contents": "\"Title\"\ntext"}; the others are files of NQ-open and HotpotQA. What follows
# them goes to verl, for instance reward.custom_reward_function.reward_kwargs.reward=brier.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
corpus="$1" nq="$2" hotpotqa="$3" dev="$4"
shift 4

mkdir -p data
form=(--format verl --protocol car --scale percent)
humbly data export nq-open --path "$nq" "${form[@]}" --to data/nq.parquet
humbly data export hotpotqa --path "$hotpotqa" "${form[@]}" --to data/hotpotqa.parquet
humbly data export nq-open --path "$dev" "${form[@]}" --split test --to data/test.parquet

port="${HUMBLY_SEARCH_PORT:-8000}"
export HUMBLY_SEARCH_URL="http://127.0.0.1:$port/retrieve"
humbly serve search "$corpus" --port "$port" &
search=$!
trap 'kill "$search"' EXIT

python3 -m verl.trainer.main_ppo --config-dir "$here" --config-name car \
  "actor_rollout_ref.rollout.agent.agent_loop_config_path=$here/search_tags.yaml" "$@"
