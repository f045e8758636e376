/** A key pair for web push in tests. */
import { createECDH } from "node:crypto"

const pair = createECDH("prime256v1")
pair.generateKeys()

export const vapid = {
  subject: "https://belltower.test",
  publicKey: pair.getPublicKey("base64url"),
  privateKey: Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32).toString("base64url")
}
