#!/usr/bin/env bash
# CAR on search: data, search server, training. Needs `humbly`, verl 0.9.1 with vLLM, and GPUs.
#
#   ./car.sh CORPUS.jsonl NQ.train.jsonl NQ.test.jsonl [reward.custom_reward_function.reward_kwargs.reward=brier …]
#
# CORPUS has lines {"id": …, "contents": "\"Title\"\ntext"}; the others are rows of NQ-open. What follows them goes to verl.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
corpus="$1" train="$2" test="$3"
shift 3

mkdir -p data
humbly data export nq-open --path "$train" --format verl --protocol car --scale percent --to data/train.parquet
humbly data export nq-open --path "$test" --format verl --protocol car --scale percent --split test --to data/test.parquet

humbly serve search "$corpus" --port 8000 &
search=$!
trap 'kill "$search"' EXIT

python3 -m verl.trainer.main_ppo --config-dir "$here" --config-name car \
  "actor_rollout_ref.rollout.agent.agent_loop_config_path=$here/search_tags.yaml" "$@"
