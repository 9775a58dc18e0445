# Thalweg alone in an image: a static program needs no system around it.
FROM rust:1.95-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends musl-tools \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /thalweg
COPY . .
# The time of the files, where `--build-arg` gives it.
ARG SOURCE_DATE_EPOCH
# Where the program cannot be static, its archive has another name, and the build ends here.
RUN cargo xtask dist \
    && mkdir -p /unpacked /image/usr/bin /image/usr/share/doc/thalweg /image/etc/ssl/certs \
    && tar --extract --strip-components=1 --directory=/unpacked \
        --file="$(echo target/dist/thalweg-*-linux-musl.tar.gz)" \
    && cp /unpacked/thalweg /image/usr/bin/ \
    && cp /unpacked/LICENSE-* /unpacked/THIRD-PARTY-LICENSES.txt /image/usr/share/doc/thalweg/ \
    && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ \
    && mkdir -p /own/data /own/tmp

FROM scratch
COPY --from=build /image/ /
# Folders of the user's: for SQLite files, and for what a large query sorts on the disk.
COPY --from=build --chown=65532:65532 /own/ /
USER 65532:65532
WORKDIR /data
# In a container the loopback address is reached by nobody else.
ENV THALWEG_LISTEN=0.0.0.0:4000
EXPOSE 4000
HEALTHCHECK --interval=30s --timeout=6s --start-period=30s CMD ["/usr/bin/thalweg", "health"]
ENTRYPOINT ["/usr/bin/thalweg"]
# GraphiQL on the sample shop, for a first look; `serve` serves a database.
CMD ["demo", "--dev"]
