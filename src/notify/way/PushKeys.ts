/** The key pair by which push services know this deployment (RFC 8292), made at the first start and kept sealed. */
import { Context, Effect, Layer } from "effect"
import { createECDH } from "node:crypto"
import { Links } from "../../links/Links.ts"
import { InstallationKeys } from "../../store/InstallationKeys.ts"

const pushKeyName = "push"

export interface VapidKeys {
  /** Contact of the sender, for push services: an https address or a mail address. */
  readonly subject: string
  /** The uncompressed point, base64url, which browsers take for a subscription. */
  readonly publicKey: string
  readonly privateKey: string
}

/** Any 32 bytes below the order of P-256 are a private key; of random ones, fewer than one in 2^32 are not. */
const pairOf = (key: Uint8Array, host: string): VapidKeys => {
  const pair = createECDH("prime256v1")
  pair.setPrivateKey(key)
  return {
    // Push services refuse an address of this machine.
    subject: host === "localhost" ? "mailto:push@belltower.invalid" : `https://${host}`,
    publicKey: pair.getPublicKey("base64url"),
    privateKey: Buffer.from(key).toString("base64url")
  }
}

/** Null in programs that push nothing, such as tests of other ways. */
export class PushKeys extends Context.Reference<PushKeys>()("belltower/PushKeys", {
  defaultValue: (): VapidKeys | null => null
}) {
  static readonly layer = Layer.effect(
    PushKeys,
    Effect.gen(function*() {
      const { key } = yield* InstallationKeys
      const { host } = yield* Links
      return pairOf(yield* key(pushKeyName), host)
    })
  )
}
