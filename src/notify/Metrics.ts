/** Prometheus metrics of deliveries. */
import { Counter } from "prom-client"
import type { DeliveryVerdict } from "../domain/alert/DeliveryVerdict.ts"
import { exemplarOf, makeTracedHistogram } from "../telemetry/Exemplar.ts"

const deliveries = new Counter({
  name: "belltower_delivery_attempts_total",
  help: "Delivery attempts by result: delivered, captured, retry, dead",
  labelNames: ["channel_type", "result"]
})

const attemptDuration = makeTracedHistogram({
  name: "belltower_delivery_attempt_seconds",
  help: "Duration of one delivery attempt",
  labelNames: ["channel_type"],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const results = { Delivered: "delivered", Captured: "captured", Again: "retry", Dead: "dead" } as const satisfies Record<
  DeliveryVerdict["_tag"],
  string
>

export const countAttempt = (
  channelType: string,
  verdict: DeliveryVerdict,
  seconds: number,
  traceparent: string | null = null
): void => {
  attemptDuration.observe({ labels: { channel_type: channelType }, value: seconds, exemplarLabels: exemplarOf(traceparent) })
  deliveries.inc({ channel_type: channelType, result: results[verdict._tag] })
}

export const mails = new Counter({
  name: "belltower_mail_attempts_total",
  help: "Attempts to send a mail by result: sent, retry, dead",
  labelNames: ["result"]
})
