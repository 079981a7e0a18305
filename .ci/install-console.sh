#!/usr/bin/env bash
# Installs what `npm run test:console` needs on Debian or Ubuntu.
exec "$(dirname "$0")/apt-install" test:console <<'END'
chromium chromium
/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf fonts-noto-color-emoji
END
