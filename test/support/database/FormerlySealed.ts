/** Values as versions before the second have sealed them: without a key's name, and not bound to a row. */
import { createCipheriv, hkdfSync, randomBytes } from "node:crypto"

export const formerlySealed = (secret: string, text: string): string => {
  const nonce = randomBytes(12)
  const key = new Uint8Array(hkdfSync("sha256", secret, "", "belltower/sealed/v1", 32))
  const cipher = createCipheriv("aes-256-gcm", key, nonce)
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), body]).toString("base64")
}
