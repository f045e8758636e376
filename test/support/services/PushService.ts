/** A push service on loopback: it checks the sender's signature (RFC 8292), and opens the notifications of its devices (RFC 8291). */
import { Effect } from "effect"
import { createDecipheriv, createECDH, createHmac, createPublicKey, type ECDH, randomBytes, verify } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { answerDelay } from "./AnswerDelay.ts"

export interface Device {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

export interface Notification {
  readonly device: string
  /** When it was taken, ms since 1970. */
  readonly at: number
  readonly headers: IncomingHttpHeaders
  /** As the browser hands it to the service worker. */
  readonly data: string
}

interface Keys {
  readonly pair: ECDH
  readonly auth: Buffer
}

const hmac = (key: Buffer, ...parts: ReadonlyArray<Buffer | string>): Buffer =>
  parts.reduce((mac, part) => mac.update(part), createHmac("sha256", key)).digest()

const one = Buffer.from([1])

/** One record of `aes128gcm` (RFC 8188), whose key follows from the device's keys. */
const open = (body: Buffer, { auth, pair }: Keys): string => {
  const [salt, idLength] = [body.subarray(0, 16), body[20] ?? 0]
  const sender = body.subarray(21, 21 + idLength)
  const sealed = body.subarray(21 + idLength)
  const shared = hmac(auth, pair.computeSecret(sender))
  const key = hmac(salt, hmac(shared, "WebPush: info\0", pair.getPublicKey(), sender, one))
  const cipher = createDecipheriv(
    "aes-128-gcm",
    hmac(key, "Content-Encoding: aes128gcm\0", one).subarray(0, 16),
    hmac(key, "Content-Encoding: nonce\0", one).subarray(0, 12)
  )
  cipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString("utf8")
}

/** Whether the sender signed for this service with the key that it shows, for at most a day. */
const isSigned = (authorization: string, audience: string): boolean => {
  const [, token = "", key = ""] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? []
  const [head = "", claims = "", signature = ""] = token.split(".")
  const point = Buffer.from(key, "base64url")
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url")
  }
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"))
  const inSeconds = exp - Date.now() / 1000
  return aud === audience && inSeconds > 0 && inSeconds <= 86_400 && /^(https:|mailto:)/.test(sub) &&
    verify(
      "sha256",
      Buffer.from(`${head}.${claims}`),
      { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url")
    )
}

/** Serves until the scope closes. `refuse` decides the status of a device instead of 201. */
export const pushService = (refuse: (device: string) => number | null = () => null) =>
  Effect.gen(function*() {
    const devices = new Map<string, Keys>()
    const seen: Array<Notification> = []
    const delay = answerDelay()
    let origin = ""
    const take = (device: string, headers: IncomingHttpHeaders, body: Buffer): number => {
      const keys = devices.get(device)
      const refused = refuse(device)
      if (keys === undefined || refused !== null) return refused ?? 404
      if (!isSigned(headers.authorization ?? "", origin)) return 403
      if (headers["content-encoding"] !== "aes128gcm" || headers["ttl"] === undefined) return 400
      seen.push({ device, at: Date.now(), headers, data: open(body, keys) })
      return 201
    }
    const server = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const made = createServer((request, response: ServerResponse) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const status = take(decodeURIComponent(request.url ?? "").slice(1), request.headers, Buffer.concat(chunks))
            delay.then(() => void response.writeHead(status).end())
          })
        })
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.sync(() => {
          made.closeAllConnections()
          made.close()
        })
    )
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return {
      /** The notifications that were taken, in order. */
      seen,
      wait: delay.wait,
      /** A new subscription of a browser. */
      subscribe: (device: string): Device => {
        const pair = createECDH("prime256v1")
        const keys = { pair, auth: randomBytes(16) }
        pair.generateKeys()
        devices.set(device, keys)
        return { endpoint: `${origin}/${device}`, p256dh: pair.getPublicKey("base64url"), auth: keys.auth.toString("base64url") }
      },
      /** The browser has ended its subscription. */
      end: (device: string): void => void devices.delete(device)
    }
  })
