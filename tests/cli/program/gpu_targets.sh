# What XLA:GPU is told of chips that are not there: those of each compute capability.
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { echo "no python3 here"; exit 77; }
cd "$root/scripts" || exit 1
PYTHONDONTWRITEBYTECODE=1 python3 - <<'PY'
import gpu_target

for name in ("v100", "a100", "h100", "h200", "b200", "b300-sxm", "gb200x72", "l40s", "l4", "t4"):
    nodes, devices, target = gpu_target.read_target(gpu_target.find(name))
    fields = dict(line.strip().split(": ", 1) for line in target.splitlines() if ": " in line)
    print(name, nodes, devices, *(fields[f] for f in (
        "cuda_compute_capability { major", "core_count", "threads_per_core_limit", "shared_memory_per_core",
        "memory_bandwidth", "device_memory_size")))
PY
