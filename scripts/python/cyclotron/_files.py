"""Files that are whole or as they were."""
from __future__ import annotations

import os
import tempfile


def write_whole(path: str | os.PathLike, data: bytes) -> None:
    """Write a file: under another name beside it, which takes its place in the end.  A full disk leaves the old
    one.  What is there and no regular file, as /dev/stdout, is written to.  OSError as open() and write()."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as f:
            f.write(data)
        return
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix=os.path.basename(path)[:200] + ".")
    try:
        with open(handle, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        if os.path.exists(path):
            mode = os.stat(path).st_mode
        else:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        os.chmod(beside, mode & 0o7777)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
