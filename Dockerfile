# The podium service: `docker build --tag podium:local .`, then compose.yaml, or docker run with a volume at /data.
# Kernels are compiled while the image is built, for any processor of this level, so that a start takes seconds.
# On ARM, and for older processors: --build-arg KERNEL_CPU=generic
FROM python:3.11-slim-bookworm AS build
ARG KERNEL_CPU=x86-64-v3
ENV NUMBA_CPU_NAME=${KERNEL_CPU} \
    NUMBA_CPU_FEATURES="" \
    NUMBA_DISABLE_INTEL_SVML=1 \
    NUMBA_CACHE_DIR=/opt/kernels
WORKDIR /build
COPY constraints.txt pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY wheels/build_hook.py wheels/build_hook.py
COPY src src
RUN python -m venv /opt/podium \
 && /opt/podium/bin/pip install --no-cache-dir --constraint constraints.txt '.[server,site,sheets]' \
 && /opt/podium/bin/podium warmup

FROM python:3.11-slim-bookworm
ARG KERNEL_CPU=x86-64-v3
ENV NUMBA_CPU_NAME=${KERNEL_CPU} \
    NUMBA_CPU_FEATURES="" \
    NUMBA_DISABLE_INTEL_SVML=1 \
    NUMBA_CACHE_DIR=/opt/kernels \
    PATH=/opt/podium/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PODIUM_HOST=0.0.0.0 \
    PODIUM_PORT=8000 \
    PODIUM_DATABASE=/data/podium.db \
    PODIUM_LOG_FORMAT=json
RUN useradd --system --uid 10001 --create-home podium \
 && install --directory --owner podium --group podium /data
COPY --from=build /opt/podium /opt/podium
COPY --from=build --chown=podium:podium /opt/kernels /opt/kernels
USER podium
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=2m --retries=3 \
  CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"PODIUM_PORT\"]}/readyz', timeout=8)"]
ENTRYPOINT ["podium"]
CMD ["serve"]
