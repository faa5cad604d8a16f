#!/usr/bin/env bash
# Installs the native part of @tensorflow/tfjs-node-gpu without its own downloader: TensorFlow's C library
# from a Python wheel, and the package's addon compiled against it.
#
#   .ci/libtensorflow.sh [cpu|gpu|cuda] [project folder]
#
#   cpu   the build for CPUs (274 MB to download)
#   gpu   the CUDA build (572 MB); runs on the CPU if there is no GPU
#   cuda  the CUDA build with NVIDIA's libraries (another 2.8 GB); needs the driver's libcuda.so.1
#
# Cached in $SERVICES_DIR (default: .services in the project): later calls take one second.
# Call it again after each `npm ci`. Needs python3 with pip, g++ and Linux on x86-64.
# TF_WHEELS names a folder that may already contain the wheel.
set -euo pipefail

kind=${1:-cpu}
project=$(realpath "${2:-$(dirname "$0")/..}")
version=${TF_VERSION:-2.21.0}
case $kind in
  cpu) wheel=tensorflow-cpu ;;
  gpu | cuda) wheel=tensorflow ;;
  *) echo "usage: $0 [cpu|gpu|cuda] [project folder]; got '$kind'" >&2; exit 2 ;;
esac
home=${SERVICES_DIR:-$project/.services}/$wheel-$version
mkdir -p "$home"
home=$(realpath "$home")

platforms=()
for tag in manylinux_2_27 manylinux_2_25 manylinux_2_17 manylinux_2_12 manylinux2014; do
  platforms+=(--platform "${tag}_x86_64")
done
pip() {
  local verb=$1
  shift
  python3 -m pip "$verb" --quiet --no-deps --no-cache-dir --disable-pip-version-check --only-binary=:all: \
    --implementation cp --python-version 3.11 "${platforms[@]}" "$@"
}

fetch_library() {
  [ -e "$home/library.done" ] && return
  rm -rf "$home/lib" "$home/include"
  mkdir -p "$home/lib" "$home/wheel"
  pip download ${TF_WHEELS:+--find-links "$TF_WHEELS"} --dest "$home/wheel" "$wheel==$version"
  python3 - "$home" <<'PYTHON'
"""Unpacks the libraries and the C headers (14 files are needed, of 108 MB) from the wheel."""
import pathlib, re, shutil, sys, zipfile

home = pathlib.Path(sys.argv[1])
library = re.compile(r'tensorflow/(libtensorflow_\w+\.so\.2)$')
header = re.compile(r'tensorflow/include/((?:tensorflow/c|tensorflow/core/platform|tsl/platform|xla/tsl/c)/.*\.h)$')
with zipfile.ZipFile(next((home / 'wheel').glob('*.whl'))) as wheel:
    for name in wheel.namelist():
        if found := library.match(name):
            target = home / 'lib' / found[1]
        elif found := header.match(name):
            target = home / 'include' / found[1]
        else:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with wheel.open(name) as source, target.open('wb') as out:
            shutil.copyfileobj(source, out, 1 << 20)
PYTHON
  rm -rf "$home/wheel"
  ln -s libtensorflow_cc.so.2 "$home/lib/libtensorflow.so"
  ln -s libtensorflow_framework.so.2 "$home/lib/libtensorflow_framework.so"
  touch "$home/library.done"
}

# The CUDA build looks for NVIDIA's libraries in ../nvidia beside its own folder (its RUNPATH).
fetch_cuda() {
  [ -e "$home/cuda.done" ] && return
  pip install --target "$home" \
    nvidia-cublas-cu12==12.* nvidia-cuda-cupti-cu12==12.* nvidia-cuda-nvcc-cu12==12.* \
    nvidia-cuda-nvrtc-cu12==12.* nvidia-cuda-runtime-cu12==12.* nvidia-nvjitlink-cu12==12.* \
    nvidia-cudnn-cu12==9.* nvidia-cufft-cu12==11.* nvidia-curand-cu12==10.* \
    nvidia-cusolver-cu12==11.* nvidia-cusparse-cu12==12.* nvidia-nccl-cu12==2.*
  touch "$home/cuda.done"
}

# One addon serves every version of the library; it is cached by the package's version.
build_addon() {
  local package=$1 napi headers addon
  napi=$(node --print 'Math.min(8, Number(process.versions.napi))')
  headers=$(node --print 'require("path").resolve(process.execPath, "../../include/node")')
  [ -e "$headers/node_api.h" ] || headers=$project/node_modules/node-api-headers/include
  addon=$home/addon-$(basename "$package")-$(node --print "require('$package/package.json').version")-napi$napi.node
  if [ ! -e "$addon" ]; then
    g++ -std=c++17 -O2 -fPIC -shared -w "-DNAPI_VERSION=$napi" \
      -I"$headers" -I"$package" -I"$home/include" "$package"/binding/tfjs_b*.cc \
      -L"$home/lib" -ltensorflow -ltensorflow_framework -Wl,-rpath,'$ORIGIN/../../deps/lib' -o "$addon.part"
    mv "$addon.part" "$addon"
  fi
  mkdir -p "$package/deps" "$package/lib/napi-v$napi"
  ln -sfn "$home/lib" "$package/deps/lib"
  cp "$addon" "$package/lib/napi-v$napi/tfjs_binding.node"
  echo "$package: TensorFlow $version ($kind)"
}

fetch_library
[ "$kind" = cuda ] && fetch_cuda
for package in "$project"/node_modules/@tensorflow/tfjs-node "$project"/node_modules/@tensorflow/tfjs-node-gpu; do
  [ -e "$package/binding" ] && build_addon "$package"
done
exit 0
