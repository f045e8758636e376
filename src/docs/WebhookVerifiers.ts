/** How a receiver verifies the signature of a webhook, in four languages and without a library. A test runs each of them. */

export interface WebhookVerifier {
  readonly language: "Node.js" | "Python" | "Go" | "Java"
  readonly code: string
}

const node = `import { createHmac, timingSafeEqual } from "node:crypto"

export const verify = (secret, headers, rawBody) => {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const sent = Number(headers["webhook-timestamp"])
  if (!(Math.abs(Date.now() / 1000 - sent) < 300)) return false
  const signed = \`\${headers["webhook-id"]}.\${headers["webhook-timestamp"]}.\${rawBody}\`
  const own = createHmac("sha256", key).update(signed).digest()
  return headers["webhook-signature"].split(" ").some((entry) => {
    const given = Buffer.from(entry.replace(/^v1,/, ""), "base64")
    return entry.startsWith("v1,") && given.length === own.length && timingSafeEqual(given, own)
  })
}`

const python = `import base64
import hashlib
import hmac
import time


def verify(secret, headers, raw_body):
    """raw_body is bytes, exactly as received."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    sent = headers["webhook-timestamp"]
    if not sent.isdigit() or abs(time.time() - int(sent)) >= 300:
        return False
    signed = f"{headers['webhook-id']}.{sent}.".encode() + raw_body
    own = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    entries = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(b"v1," + own, entry.encode()) for entry in entries)`

const go = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func verify(secret string, headers http.Header, rawBody []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	sent, err := strconv.ParseInt(headers.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() >= 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(headers.Get("webhook-id") + "." + headers.Get("webhook-timestamp") + "."))
	mac.Write(rawBody)
	own := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, entry := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal(own, []byte(entry)) {
			return true
		}
	}
	return false
}`

const java = `import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhooks {
  static boolean verify(String secret, Map<String, String> headers, byte[] rawBody) throws GeneralSecurityException {
    String sent = headers.get("webhook-timestamp");
    if (!sent.matches("\\\\d{1,12}") || Math.abs(Instant.now().getEpochSecond() - Long.parseLong(sent)) >= 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.replaceFirst("^whsec_", "")), "HmacSHA256"));
    mac.update((headers.get("webhook-id") + "." + sent + ".").getBytes(StandardCharsets.UTF_8));
    byte[] own = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(rawBody))).getBytes(StandardCharsets.UTF_8);
    for (String entry : headers.get("webhook-signature").split(" ")) {
      if (MessageDigest.isEqual(own, entry.getBytes(StandardCharsets.UTF_8))) return true;
    }
    return false;
  }
}`

export const webhookVerifiers: ReadonlyArray<WebhookVerifier> = [
  { language: "Node.js", code: node },
  { language: "Python", code: python },
  { language: "Go", code: go },
  { language: "Java", code: java }
]
