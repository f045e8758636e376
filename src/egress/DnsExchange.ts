/** One DNS query to one server: over UDP, and again over TCP if the answer was truncated (RFC 1035, section 4.2; RFC 7766). */
import { type Answer, decode, type DecodedPacket, encode, RECURSION_DESIRED } from "dns-packet"
import { Either } from "effect"
import { randomInt } from "node:crypto"
import { createSocket } from "node:dgram"
import type { LookupAddress } from "node:dns"
import { endpoint } from "./ConnectionFailures.ts"
import { endingWithin } from "./Deadlines.ts"
import { dial } from "./Dial.ts"
import type { EgressGuard } from "./EgressGuard.ts"
import { isOfProcess } from "./OwnFailures.ts"

export interface DnsQuestion {
  readonly name: string
  readonly type: "A" | "AAAA" | "CNAME" | "MX" | "TXT" | "NS"
}

export interface DnsServer extends LookupAddress {
  readonly port: number
}

/** A server's answer; `rcode` as a number. */
export interface DnsReply {
  readonly rcode: number
  readonly authoritative: boolean
  readonly protocol: "udp" | "tcp"
  readonly answers: ReadonlyArray<Answer>
}

/** A server gave no usable answer. `isTimeout`: it may only have lost the packet. */
export interface DnsSilence {
  readonly isTimeout: boolean
  readonly message: string
}

type DnsGuard = Pick<EgressGuard, "deadlines" | "lacksFiles" | "permits">

type DnsEnd = (end: Either.Either<DnsReply, DnsSilence>) => void

const silence = (message: string, isTimeout = false): Either.Either<never, DnsSilence> => Either.left({ isTimeout, message })

const unreadable = "sent an answer that is not valid DNS"

const sameName = (one: string, other: string): boolean =>
  one.replace(/\.$/, "").toLowerCase() === other.replace(/\.$/, "").toLowerCase()

/** A question on its way to a server. */
interface Query {
  readonly server: DnsServer
  readonly question: DnsQuestion
  readonly id: number
  readonly bytes: Buffer
}

/** The packet if it answers this very question; null for anything else, which may be forged and is ignored. */
const answerTo = ({ id, question: { name, type } }: Query, bytes: Uint8Array): DecodedPacket | null =>
  Either.match(Either.try(() => decode(Buffer.from(bytes))), {
    onLeft: () => null,
    onRight: (packet) => {
      const [question] = packet.questions ?? []
      const isOurs = packet.flag_qr && packet.id === id
      // Servers that refuse or cannot parse a query may leave the question out.
      if (question === undefined) return isOurs && ((packet.flags ?? 0) & 0xf) !== 0 ? packet : null
      return isOurs && question.type === type && sameName(question.name, name) ? packet : null
    }
  })

const replyOf = (packet: DecodedPacket, protocol: DnsReply["protocol"]): DnsReply => ({
  rcode: (packet.flags ?? 0) & 0xf,
  authoritative: packet.flag_aa,
  protocol,
  answers: packet.answers ?? []
})

/** The reply to a query whose length is in front of it, or null as long as it is incomplete. */
const framed = (chunks: ReadonlyArray<Buffer>): Buffer | null => {
  const bytes = Buffer.concat(chunks)
  return bytes.length < 2 || bytes.length < 2 + bytes.readUInt16BE(0) ? null : bytes.subarray(2, 2 + bytes.readUInt16BE(0))
}

const askOverTcp = (query: Query, guard: DnsGuard, done: DnsEnd) =>
  dial([query.server], query.server.port, guard, {
    onFailure: (error) => done(silence(`cannot be reached over TCP (${error.code ?? error.message})`)),
    onConnect: (socket) => {
      const chunks: Array<Buffer> = []
      const length = Buffer.alloc(2)
      length.writeUInt16BE(query.bytes.length)
      const end = (reply: Either.Either<DnsReply, DnsSilence>): void => {
        socket.destroy()
        done(reply)
      }
      socket.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        const bytes = framed(chunks)
        if (bytes === null) return
        const packet = answerTo(query, bytes)
        end(packet === null ? silence(unreadable) : Either.right(replyOf(packet, "tcp")))
      })
      socket.on("error", (error: NodeJS.ErrnoException) => end(silence(`closed the connection (${error.code ?? error.message})`)))
      socket.on("close", () => end(silence("closed the connection without an answer")))
      socket.write(Buffer.concat([length, query.bytes]))
    }
  })

/** An answer that says that it is truncated, without its records: the last one may be cut, and none of them counts. */
const withoutCutRecords = (bytes: Buffer): Buffer => {
  if (bytes.length < 12 || ((bytes[2] ?? 0) & 0x02) === 0) return bytes
  return Buffer.from(bytes).fill(0, 6, 12)
}

const overUdp = (
  query: Query,
  { lacksFiles }: DnsGuard,
  done: (end: Either.Either<DecodedPacket, DnsSilence>) => void
): () => void => {
  const { server } = query
  const socket = createSocket(server.family === 6 ? "udp6" : "udp4")
  let open = true
  const stop = (): void => {
    if (!open) return
    open = false
    socket.close()
  }
  const end = (reply: Either.Either<DecodedPacket, DnsSilence>): void => {
    if (!open) return
    stop()
    done(reply)
  }
  socket.on("error", (error: NodeJS.ErrnoException) => {
    if (isOfProcess(error)) lacksFiles()
    end(silence(error.code === "ECONNREFUSED" ? "refused the connection" : `cannot be reached (${error.code ?? error.message})`))
  })
  socket.on("message", (bytes) => {
    const packet = answerTo(query, withoutCutRecords(bytes))
    if (packet !== null) end(Either.right(packet))
  })
  // A connected socket takes packets from its peer only, and learns that a port is closed.
  socket.connect(server.port, server.address, () => {
    if (open) socket.send(query.bytes)
  })
  return stop
}

/** `192.0.2.53`, or with a port other than 53 `192.0.2.53:5353`. */
export const serverName = ({ address, port }: DnsServer): string => (port === 53 ? address : endpoint(address, port))

/** Asks a server once and calls back once, within `timeoutMs`. Returns a function that cancels. */
export const askServer = (
  guard: DnsGuard,
  server: DnsServer,
  question: DnsQuestion,
  timeoutMs: number,
  done: DnsEnd
): () => void => {
  const { deadlines, permits } = guard
  if (permits.take(server.address) === "none") {
    permits.missed(server.address)
    return deadlines.after(0, () => done(silence("was not asked: too many questions to it at a time")))
  }
  const id = randomInt(65_536)
  const bytes = encode({ type: "query", id, flags: RECURSION_DESIRED, questions: [question] })
  const query: Query = { server, question, id, bytes }
  const ending = endingWithin<Either.Either<DnsReply, DnsSilence>>(
    deadlines,
    timeoutMs,
    () => silence("did not answer", true),
    done
  )
  ending.stop = overUdp(
    query,
    guard,
    Either.match({
      onLeft: ({ message }) => ending.end(silence(message)),
      onRight: (packet) => {
        if (!packet.flag_tc) return ending.end(Either.right(replyOf(packet, "udp")))
        ending.stop = askOverTcp(query, guard, ending.end)
      }
    })
  )
  return ending.cancel
}
