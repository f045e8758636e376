/** A PagerDuty event (Events API v2, https://developer.pagerduty.com/docs/send-alert-event), without its routing key. */
import { DateTime } from "effect"
import { cut } from "../tools/text/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"
import { alertText } from "./AlertText.ts"

const severities = { down: "critical", degraded: "warning", good: "info", notice: "info" } as const satisfies Record<Tone, string>

const actions = {
  begins: "trigger",
  continues: "trigger",
  acknowledged: "acknowledge",
  ends: "resolve"
} as const satisfies Record<Exclude<AlertMessage["about"]["step"], "noted">, string>

/** Null for a change event (https://developer.pagerduty.com/docs/send-change-event): it is shown, but pages nobody. */
const actionOf = ({ about: { step }, tone }: AlertMessage) =>
  step === "noted" || (tone === "notice" && step === "continues") ? null : actions[step]

/** `key` identifies the alert. */
export const pagerDutyMessage = (message: AlertMessage, key: string) => {
  const { at, facts, link, title, tone } = message
  const text = alertText(message)
  const payload = {
    summary: cut(title, 1024),
    source: "Belltower",
    timestamp: DateTime.formatIso(at),
    custom_details: Object.fromEntries([
      ...(text.trim() === "" ? [] : [["Details", cut(text, 4000)]]),
      ...facts.map(({ label, value }) => [label, cut(value, 1000)])
    ])
  }
  const links = link === null ? {} : { links: [{ href: link.url, text: link.label }] }
  const action = actionOf(message)
  return action === null
    ? { payload, ...links }
    : {
      event_action: action,
      dedup_key: `belltower ${key}`,
      client: "Belltower",
      payload: { ...payload, severity: severities[tone] },
      ...links
    }
}
