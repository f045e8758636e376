/** A DNS server on loopback that speaks the protocol over UDP and TCP, with answers made by the test. */
import { decode, encode, TRUNCATED_RESPONSE } from "dns-packet"
import type { Answer, Question } from "dns-packet"
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"

/** Response codes of RFC 1035. */
export const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const

export interface DnsReaction {
  readonly rcode?: keyof typeof rcodes
  readonly answers?: ReadonlyArray<Answer>
  /** Sends no answers over UDP, only the note that they do not fit. */
  readonly truncated?: boolean
  /** Sends the note and as much of the answers over UDP as fits, cut within the last one. */
  readonly cut?: boolean
}

/** Null: the server stays silent. Bytes: it sends these instead of an answer. */
export type React = (question: Question, protocol: "udp" | "tcp") => DnsReaction | Uint8Array | null

const reactTo = (query: Uint8Array, protocol: "udp" | "tcp", react: React): Uint8Array | null => {
  const packet = decode(Buffer.from(query))
  const question = packet.questions![0]!
  const reaction = react(question, protocol)
  if (reaction === null || reaction instanceof Uint8Array) return reaction
  const truncated = reaction.truncated === true && protocol === "udp"
  const cut = reaction.cut === true && protocol === "udp"
  const answer = encode({
    type: "response",
    id: packet.id!,
    flags: rcodes[reaction.rcode ?? "NOERROR"] | (truncated || cut ? TRUNCATED_RESPONSE : 0),
    questions: [question],
    answers: truncated ? [] : [...reaction.answers ?? []]
  })
  return cut ? answer.subarray(0, answer.length - 3) : answer
}

/** Starts the server and returns its port, the same for both protocols. */
export const localDns = (react: React) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const tcp = createServer((socket) => {
        socket.on("error", () => {})
        socket.on("data", (bytes) => {
          const answer = reactTo(bytes.subarray(2), "tcp", react)
          if (answer === null) return
          const length = Buffer.alloc(2)
          length.writeUInt16BE(answer.length)
          // In two parts: a stream keeps no boundaries.
          socket.write(Buffer.concat([length, answer.subarray(0, 5)]), () => socket.write(answer.subarray(5)))
        })
      })
      await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve))
      const { port } = tcp.address() as AddressInfo
      const udp = createSocket("udp4")
      udp.on("message", (query, from) => {
        const answer = reactTo(query, "udp", react)
        if (answer !== null) udp.send(answer, from.port, from.address)
      })
      await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve))
      return { port, tcp, udp }
    }),
    ({ tcp, udp }) => Effect.promise(() => new Promise<void>((resolve) => udp.close(() => tcp.close(() => resolve()))))
  ).pipe(Effect.map(({ port }) => port))
