/** Texts and calls by one signed webhook (Standard Webhooks), for services that speak no protocol of ours. */
import { DateTime, Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { fieldsOf } from "../../../domain/alert/answers/ServiceAnswer.ts"
import { signedHeaders } from "../../../domain/alert/Signature.ts"
import { textAt } from "../../../domain/import/Loose.ts"
import { EgressGuard } from "../../../egress/EgressGuard.ts"
import { deliveryHeaders, postAndRead } from "../../alert/PostDelivery.ts"
import type { PhoneMessage, PhoneProvider } from "./PhoneProvider.ts"

export interface PhoneWebhookSettings {
  readonly url: string
  /** `whsec_` and at least 24 bytes in base64. */
  readonly secret: Redacted.Redacted
}

/** The receiver drops what it has taken already by `webhook-id`, which is that of the page at every attempt. */
export const makePhoneWebhook = ({ secret, url }: PhoneWebhookSettings, newsAt: string, guard: EgressGuard): PhoneProvider => ({
  lacks: () => null,
  send: Effect.fnUntraced(function*({ by, pagingId, text, timeoutMs, to }: PhoneMessage) {
    const id = pagingId ?? randomUUID()
    const body = JSON.stringify({ type: by, id, to, text, ...(pagingId === null ? {} : { newsUrl: newsAt }) })
    const signed = signedHeaders(
      [{ secret: Redacted.value(secret), until: null }],
      { id, body },
      DateTime.toEpochMillis(yield* DateTime.now)
    )
    const { answer, said } = yield* postAndRead(
      { url: new URL(url), headers: { ...deliveryHeaders, ...signed }, body, timeoutMs },
      { read: (one) => ({ words: one.statusCode < 400 ? null : textAt(fieldsOf(one), "message") }), secrets: [to, to.slice(1)] }
    ).pipe(Effect.provideService(EgressGuard, guard))
    const reference = said === null || said.statusCode >= 300 ? null : textAt(fieldsOf(said), "id")
    return answer._tag === "Answered" && reference !== null ? { ...answer, reference } : answer
  })
})
