/**
 * A TLS 1.2 server from before secure renegotiation (RFC 5746): its hello has no extensions. Speaks one cipher suite,
 * TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 (RFC 5246, RFC 5289), and answers any request with the same bytes.
 */
import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHash,
  createHmac,
  createSign,
  randomBytes,
  X509Certificate
} from "node:crypto"
import type { ECDH } from "node:crypto"
import { createServer } from "node:net"
import type { Socket } from "node:net"
import type { Credentials } from "./LocalTargets.ts"
import { listening } from "./LocalTargets.ts"

const version = Buffer.from([3, 3])
const type = { changeCipher: 20, handshake: 22, data: 23 }
const cipherSuite = Buffer.from([0xc0, 0x2b])

const uint = (bytes: number, value: number): Buffer => {
  const written = Buffer.alloc(bytes)
  written.writeUIntBE(value, 0, bytes)
  return written
}
const sized = (bytes: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([uint(bytes, content.length), content])
}
const message = (kind: number, ...parts: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([Buffer.from([kind]), sized(3, ...parts)])

/** The pseudorandom function (RFC 5246, section 5). */
const prf = (secret: Buffer, label: string, seed: Buffer, length: number): Buffer => {
  const start = Buffer.concat([Buffer.from(label), seed])
  const hmac = (...parts: ReadonlyArray<Buffer>) => createHmac("sha256", secret).update(Buffer.concat(parts)).digest()
  const made: Array<Buffer> = []
  for (let a = hmac(start); made.length * 32 < length; a = hmac(a)) made.push(hmac(a, start))
  return Buffer.concat(made).subarray(0, length)
}

interface Keys {
  readonly master: Buffer
  readonly client: { readonly key: Buffer; readonly salt: Buffer }
  readonly server: { readonly key: Buffer; readonly salt: Buffer }
}

const keysOf = (shared: Buffer, client: Buffer, server: Buffer): Keys => {
  const master = prf(shared, "master secret", Buffer.concat([client, server]), 48)
  const block = prf(master, "key expansion", Buffer.concat([server, client]), 40)
  return {
    master,
    client: { key: block.subarray(0, 16), salt: block.subarray(32, 36) },
    server: { key: block.subarray(16, 32), salt: block.subarray(36, 40) }
  }
}

const additional = (sequence: number, kind: number, length: number): Buffer =>
  Buffer.concat([uint(6, 0), uint(2, sequence), Buffer.from([kind]), version, uint(2, length)])

const sealed = ({ key, salt }: Keys["server"], sequence: number, kind: number, content: Buffer): Buffer => {
  const nonce = Buffer.concat([uint(6, 0), uint(2, sequence)])
  const cipher = createCipheriv("aes-128-gcm", key, Buffer.concat([salt, nonce]))
  cipher.setAAD(additional(sequence, kind, content.length))
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

const opened = ({ key, salt }: Keys["client"], sequence: number, kind: number, record: Buffer): Buffer => {
  const cipher = createDecipheriv("aes-128-gcm", key, Buffer.concat([salt, record.subarray(0, 8)]))
  cipher.setAAD(additional(sequence, kind, record.length - 24))
  cipher.setAuthTag(record.subarray(-16))
  return Buffer.concat([cipher.update(record.subarray(8, -16)), cipher.final()])
}

const record = (kind: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([kind]), version, sized(2, content)])

/** The server's messages up to its ServerHelloDone. */
const hello = ({ cert, key }: Credentials, exchange: ECDH, client: Buffer, server: Buffer): ReadonlyArray<Buffer> => {
  const params = Buffer.concat([Buffer.from([3, 0, 23]), sized(1, exchange.generateKeys())])
  const signature = createSign("sha256").update(Buffer.concat([client, server, params])).sign(key)
  return [
    message(2, version, server, Buffer.from([0]), cipherSuite, Buffer.from([0])),
    message(11, sized(3, sized(3, new X509Certificate(cert).raw))),
    message(12, params, Buffer.from([4, 3]), sized(2, signature)),
    message(14)
  ]
}

const converse = (socket: Socket, credentials: Credentials, answer: string): void => {
  const exchange = createECDH("prime256v1")
  const server = randomBytes(32)
  const transcript: Array<Buffer> = []
  let client: Buffer = Buffer.alloc(0)
  let keys: Keys | null = null
  let received = 0
  let isEncrypted = false
  const digest = () => createHash("sha256").update(Buffer.concat(transcript)).digest()

  const take = (kind: number, content: Buffer): void => {
    if (kind === type.changeCipher) {
      isEncrypted = true
      return
    }
    const plain = isEncrypted && keys !== null ? opened(keys.client, received++, kind, content) : content
    if (kind === type.data && keys !== null) {
      return void socket.end(record(type.data, sealed(keys.server, 1, type.data, Buffer.from(answer))))
    }
    if (kind !== type.handshake) return void socket.end()
    transcript.push(plain)
    if (plain[0] === 1) {
      client = plain.subarray(6, 38)
      const messages = hello(credentials, exchange, client, server)
      transcript.push(...messages)
      socket.write(record(type.handshake, Buffer.concat(messages)))
    } else if (plain[0] === 16) {
      keys = keysOf(exchange.computeSecret(plain.subarray(5)), client, server)
    } else if (keys !== null) {
      const finished = message(20, prf(keys.master, "server finished", digest(), 12))
      socket.write(record(type.changeCipher, Buffer.from([1])))
      socket.write(record(type.handshake, sealed(keys.server, 0, type.handshake, finished)))
    }
  }

  let rest: Buffer = Buffer.alloc(0)
  socket.on("error", () => {})
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt16BE(3)) {
      const end = 5 + rest.readUInt16BE(3)
      const [kind = 0] = rest
      take(kind, rest.subarray(5, end))
      rest = rest.subarray(end)
    }
  })
}

/** Its port. The key of the credentials is on the curve P-256. */
export const oldTlsServer = (credentials: Credentials, answer: string) =>
  listening(createServer((socket) => converse(socket, credentials, answer)))
