# Oncebox with its own Java on a bare Debian. Build the image's content first, then the image, in this folder:
#   mvn -B -Pimage -DskipTests package && docker build -t oncebox .
# Run it with a home of yours, which has config/application.properties and belongs to user 10001:
#   docker run --read-only --tmpfs /tmp:exec --stop-timeout 180 -v /srv/oncebox:/var/lib/oncebox -e OPENAI_API_KEY oncebox
FROM debian:bookworm-slim
ADD target/oncebox-image.tar.gz /opt/
RUN ln -s /opt/oncebox-*/bin/oncebox /usr/bin/oncebox \
 && groupadd --system --gid 10001 oncebox \
 && useradd --system --uid 10001 --gid oncebox --home-dir /var/lib/oncebox --shell /usr/sbin/nologin oncebox \
 && install -d -o oncebox -g oncebox /var/lib/oncebox \
 && /opt/oncebox-*/bin/share-classes
ENV ONCEBOX_HOME=/var/lib/oncebox
WORKDIR /var/lib/oncebox
USER oncebox
VOLUME /var/lib/oncebox
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/oncebox"]
CMD ["run"]
