#!/usr/bin/env bash
# RL-UA: training on tasks with `question`, `references` and `answerable`. Needs `humbly`, verl 0.9.1 with SGLang, and GPUs.
#
#   ./rl_ua.sh TRAIN.jsonl TEST.jsonl [trainer.n_gpus_per_node=4 …]
#
# A set of one's own in verl's form, with extra_info.label answerable, data or model, needs no export: name it by
# data.train_files and data.val_files.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
train="$1" test="$2"
shift 2

mkdir -p data
humbly data export "$train" --format verl --protocol boxed --to data/train.parquet
humbly data export "$test" --format verl --protocol boxed --split test --to data/test.parquet

python3 -m verl.trainer.main_ppo --config-dir "$here" --config-name rl_ua "$@"
