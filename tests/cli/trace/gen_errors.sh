# A workload or parameter that is not there, or out of range, is one line and exit 1.
try cyclotron trace gen 3dgna
try cyclotron trace gen 3dgan batch
try cyclotron trace gen 3dgan btach=64
try cyclotron trace gen 3dgan batch=0
try cyclotron trace gen 3dgan batch=99999999999999999999
try cyclotron trace gen 3dgan batch=1e3
try cyclotron trace gen 3dgan batch=-1
try cyclotron trace gen 3dgan batch=0 -o never.trace
ls
