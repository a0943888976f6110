# The three lines of the tutorial that record a step, on PyTorch or on what stands for it here, and what is
# made of their file.
python3 -c '' 2>/dev/null || { echo "no python3 here"; exit 77; }
sed -n '/^with torch.profiler.profile/,/^```/p' "$root/docs/guide/tutorial.md" | sed '$d' >lines.py
wc -l <lines.py
python3 - "$root/docs/examples/step.json.gz" <<'PY'
import shutil, sys, types

class profile:  # the arguments and methods of torch.profiler.profile, PyTorch 2.11, that the lines may use
    def __init__(self, *, activities=None, record_shapes=False, with_stack=False):
        assert record_shapes, "operations without shapes are no step"
    def __enter__(self):
        ran.append("begin")
        return self
    def __exit__(self, *error):
        ran.append("end")
    def export_chrome_trace(self, path):
        assert ran == ["begin", "step", "wait", "end"], ran
        shutil.copy(sys.argv[1], path)

ran = []
torch = types.SimpleNamespace(profiler=types.SimpleNamespace(profile=profile),
                              cuda=types.SimpleNamespace(synchronize=lambda: ran.append("wait")))
exec(open("lines.py").read(), {"torch": torch, "train_step": lambda batch: ran.append("step"), "batch": None})
PY
cyclotron trace import step.json.gz -o step.trace
cyclotron replay step.trace -m h100x1 | sed -n 2p
cyclotron profile step.json.gz | sed -n '3p; /^  kernels/p'
