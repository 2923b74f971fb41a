#!/usr/bin/env bash
# bench_gpu.sh FOLDER FILE.json: bench_gpu, PyTorch's iterations of the same size on the same
# device where it is installed, and whole solves (FILE-solver.json).
set -euo pipefail
"$1/bench_gpu" "$2"
if python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
  python3 "$(dirname "$0")/torch_peer.py" "$2"
else
  echo "bench-gpu: no PyTorch that sees the device; left out"
fi
"$1/bench_gpu_solver" "${2%.json}-solver.json"
