#!/usr/bin/env bash
# Installs what `npm run test:elasticmq` needs on Debian or Ubuntu.
exec "$(dirname "$0")/apt-install" test:elasticmq <<'END'
java default-jre-headless
mvn maven
setpriv util-linux
END
