/** A request to the alert API of Opsgenie (https://docs.opsgenie.com/docs/alert-api), which other services accept too. */
import { cut } from "../tools/text/TrimText.ts"
import type { AlertMessage, Tone } from "./AlertMessage.ts"
import { alertText } from "./AlertText.ts"

const priorities = { down: "P1", degraded: "P3", good: "P5", notice: "P5" } as const satisfies Record<Tone, string>

/** `key` identifies the alert. The path of the result is relative to the API. */
export const opsgenieMessage = (message: AlertMessage, key: string) => {
  const { about, facts, link, title, tone } = message
  const text = alertText(message)
  const alias = `belltower ${key}`
  const change = (action: string, note = title) => ({
    path: `/v2/alerts/${encodeURIComponent(alias)}/${action}?identifierType=alias`,
    body: { source: "Belltower", note: cut(note, 1000) }
  })
  if (about.step === "ends") return change("close")
  if (about.step === "acknowledged") return change("acknowledge")
  if (about.step === "noted") return change("notes", `${title}\n\n${text}`)
  return {
    path: "/v2/alerts",
    body: {
      message: cut(title, 130),
      alias,
      description: cut([text, ...(link === null ? [] : [link.url])].filter((part) => part !== "").join("\n\n"), 15_000),
      details: Object.fromEntries(facts.map(({ label, value }) => [label, cut(value, 1000)])),
      source: "Belltower",
      priority: priorities[tone]
    }
  }
}
