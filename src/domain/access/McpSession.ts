/** Signed ids of MCP sessions: any process of a deployment can verify one without shared state. */
import { derivedKey } from "../tools/Sealed.ts"
import { signed, verified } from "./SignedText.ts"

/** The lifetime of a session in seconds. Activity does not extend it; the client then starts a new session. */
const lifetimeSec = 7 * 86_400

/** The key that signs a deployment's sessions. */
export const sessionKey = (secret: string): Uint8Array => derivedKey(secret, "belltower/mcp-session/v1")

/** `nonce` is 16 fresh random bytes; `nowMillis` is the start of the session. */
export const makeSessionId = (key: Uint8Array, nonce: Uint8Array, nowMillis: number): string =>
  signed(key, `${Math.floor(nowMillis / 1000).toString(36)}.${Buffer.from(nonce).toString("base64url")}`)

/** When the session expires, in milliseconds since 1970; null if this deployment did not sign the id. */
export const sessionEnd = (key: Uint8Array, id: string): number | null => {
  const [, startedSec] = /^([0-9a-z]{1,8})\.[\w-]{22}$/.exec(verified(key, id) ?? "") ?? []
  return startedSec === undefined ? null : (parseInt(startedSec, 36) + lifetimeSec) * 1000
}
