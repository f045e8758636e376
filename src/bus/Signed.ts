/** Signatures of messages from probes: what no enrolled probe has signed is dropped, and so is what names another region. */
import { Effect } from "effect"
import type { IHeaders, Message } from "kafkajs"
import { Counter } from "prom-client"
import { isSignature, signatureOf, type SignedKind } from "../domain/probe/MessageSignature.ts"
import { counted } from "../domain/tools/text/Counted.ts"
import type { ProbeKeys, Sender, ServerKeys } from "./BusKeys.ts"

/** The headers that carry the id of the sender and its signature. */
const names = { probe: "probe", signature: "mac" } as const

/** Signs a message for the servers. Headers of its own are not signed. */
export const signed = (
  { id, signing }: ProbeKeys,
  kind: SignedKind,
  { headers, key, value, ...rest }: Omit<Message, "key" | "value"> & { readonly key: string; readonly value: string }
): Message => {
  const text = Buffer.from(value)
  return {
    ...rest,
    key,
    value: text,
    headers: { ...headers, [names.probe]: id, [names.signature]: signatureOf(signing, kind, Buffer.from(key), text) }
  }
}

/**
 * Why a message is dropped: `region` names another region than its sender's, `monitor` another monitor than was asked for; `stale`
 * was sent long ago; `batch` is a whole batch that cannot be read, or is larger than any of ours.
 */
export type Refusal = "unsigned" | "unknown" | "forged" | "revoked" | "region" | "monitor" | "stale" | "batch"

export const headerOf = (headers: IHeaders | undefined, name: string): Buffer | null => {
  const given = headers?.[name]
  return Buffer.isBuffer(given) ? given : typeof given === "string" ? Buffer.from(given) : null
}

const noKey = Buffer.alloc(0)

/** The judged parts of a message. */
interface Received {
  readonly headers?: IHeaders | undefined
  readonly key: Buffer | null
  readonly value: Buffer | null
}

/** The probe that has signed a message, also a revoked one; or why the message is worth nothing. */
export const signerOf = (keys: ServerKeys, kind: SignedKind, { headers, key, value }: Received): Sender | Refusal => {
  const id = headerOf(headers, names.probe)
  const signature = headerOf(headers, names.signature)
  if (id === null || signature === null || value === null) return "unsigned"
  const sender = keys.sender(id.toString("latin1"))
  if (sender === undefined) return "unknown"
  return isSignature(sender.signing, kind, key ?? noKey, value, signature) ? sender : "forged"
}

/** The probe that has signed a message and may. */
export const senderOf = (keys: ServerKeys, kind: SignedKind, message: Received): Sender | Refusal => {
  const signer = signerOf(keys, kind, message)
  return typeof signer !== "string" && signer.isRevoked ? "revoked" : signer
}

/** Learns senders that this process does not know yet, before their messages are judged. */
export const learnSenders = (keys: ServerKeys, messages: Iterable<Received>): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const { headers } of messages) {
      const id = headerOf(headers, names.probe)
      if (id !== null && keys.sender(id.toString("latin1")) === undefined) return keys.learn
    }
    return Effect.void
  })

const refusedMessages = new Counter({
  name: "belltower_bus_refused_messages_total",
  help: "Bus messages that were dropped because no probe that may send them has signed them, or as batches that cannot be read",
  labelNames: ["topic", "reason"]
})

const logEveryMs = 60_000
const loggedAt = new Map<string, number>()

/** Counts dropped messages, and logs them at most once a minute for each topic, without their content. */
export const noteRefusals = (topic: string, refusals: ReadonlyArray<Refusal>): Effect.Effect<void> =>
  refusals.length === 0 ? Effect.void : Effect.clockWith((clock) =>
    Effect.suspend(() => {
      for (const reason of refusals) refusedMessages.inc({ topic, reason })
      const now = clock.unsafeCurrentTimeMillis()
      if (now - (loggedAt.get(topic) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return Effect.void
      loggedAt.set(topic, now)
      const reasons = [...new Set(refusals)].join(", ")
      return Effect.logWarning(
        `Refused ${counted(refusals.length, "message")} of ${topic} (${reasons}); the metrics count all of them`
      )
    })
  )
