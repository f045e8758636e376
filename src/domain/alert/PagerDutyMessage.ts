/** A PagerDuty event (Events API v2, https://developer.pagerduty.com/docs/send-alert-event), without its routing key. */
import { DateTime } from "effect"
import { type AlertMessage, cut, type Tone } from "./AlertMessage.ts"

const severities = { down: "critical", degraded: "warning", good: "info", notice: "info" } as const satisfies Record<Tone, string>

const actions = { begins: "trigger", continues: "trigger", acknowledged: "acknowledge", ends: "resolve" } as const

/** A notice is a change event (https://developer.pagerduty.com/docs/send-change-event): it is shown, but pages nobody. */
const isChange = ({ about: { step }, tone }: AlertMessage): boolean => tone === "notice" && step === "continues"

export const pagerDutyMessage = (message: AlertMessage) => {
  const { about, at, facts, link, text, title, tone } = message
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
  return isChange(message)
    ? { payload, ...links }
    : {
      event_action: actions[about.step],
      dedup_key: `belltower ${about.key}`,
      client: "Belltower",
      payload: { ...payload, severity: severities[tone] },
      ...links
    }
}
