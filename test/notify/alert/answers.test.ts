/** The answers of services that refuse a message: what the delivery says, whether it is retried, and what the channel shows. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import type { ServiceAddresses } from "../../../src/notify/alert/ChannelAddresses.ts"
import { channelKinds } from "../../../src/notify/alert/channelKinds.ts"
import { attempt } from "./ChannelAttempt.ts"
import { receiver } from "./Receiver.ts"

type Kind = "telegram" | "discord" | "slack" | "teams" | "pagerduty" | "opsgenie" | "ntfy" | "webhook"

const key = "0123456789abcdef0123456789abcdef"

const settings: Record<Kind, (base: string) => object> = {
  telegram: () => ({ botToken: `123:${key}`, chatId: "-100" }),
  discord: (base) => ({ url: `${base}/api/webhooks/1234567890/${key}` }),
  slack: (base) => ({ url: `${base}/services/T0123456/B0123456/${key}` }),
  teams: (base) => ({ url: `${base}/workflows/${key}?sig=${key}` }),
  pagerduty: (base) => ({ token: key, url: base }),
  opsgenie: (base) => ({ token: key, url: base }),
  ntfy: (base) => ({ topic: "alerts", token: key, url: base }),
  webhook: (base) => ({ url: `${base}/hook` })
}

/** Sends an alert to a service that answers so. */
const answered = (kind: Kind, status: number, body: unknown, headers: Record<string, string> = {}) =>
  Effect.gen(function*() {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    const { seen, url } = yield* receiver((response) => void response.writeHead(status, headers).end(text))
    const base = new URL(url).origin
    const addresses: Partial<ServiceAddresses> = { telegram: base }
    const { answer, verdict } = yield* attempt(channelKinds[kind], settings[kind](base), undefined, addresses)
    const shown = verdict._tag === "Delivered" ? verdict.note ?? "" : verdict.error
    expect(shown).not.toContain(key)
    return {
      seen,
      shown,
      fate: verdict._tag,
      isProblem: "isProblem" in verdict && verdict.isProblem === true,
      wait: answer._tag === "Answered" ? Option.getOrNull(answer.retryAfter) : null
    }
  })

const telegram = (description: string, more: object = {}) => ({ ok: false, error_code: 400, description, ...more })

type Expected = readonly [fate: "Dead" | "problem" | "Again" | "Delivered", words: string]

const cases: ReadonlyArray<readonly [kind: Kind, status: number, body: unknown, ...Expected]> = [
  ["telegram", 403, telegram("Forbidden: bot was blocked by the user"), "problem", "start the bot again"],
  ["telegram", 403, telegram("Forbidden: bot was kicked from the supergroup chat"), "problem", "add it again"],
  ["telegram", 403, telegram("Forbidden: the group chat was deleted"), "problem", "use another chatId"],
  ["telegram", 400, telegram("Bad Request: chat not found"), "problem", "check chatId"],
  ["telegram", 400, telegram("Bad Request: TOPIC_CLOSED"), "problem", "reopen it"],
  ["telegram", 400, telegram("Bad Request: not enough rights to send text messages to the chat"), "problem", "give it the right"],
  ["telegram", 401, telegram("Unauthorized"), "problem", "does not know the bot token"],
  ["telegram", 400, telegram(`Bad Request: something new about ${key}`), "Dead", "something new about"],
  ["telegram", 200, telegram("Bad Request: chat not found"), "problem", "check chatId"],
  ["telegram", 200, telegram("Bad Request: something new"), "Dead", "something new"],
  ["telegram", 200, telegram("Internal", { error_code: 500 }), "Again", "500"],
  ["telegram", 200, telegram("Too Many Requests", { error_code: 429 }), "Again", "Too Many Requests"],
  ["telegram", 502, "<html>Bad Gateway</html>", "Again", "502"],
  ["discord", 404, { message: "Unknown Webhook", code: 10015 }, "problem", "create a new one (\"Unknown Webhook\")"],
  ["discord", 404, { message: "Unknown Channel", code: 10003 }, "problem", "channel was deleted"],
  ["discord", 401, { message: "Invalid Webhook Token", code: 50027 }, "problem", "copy the URL again"],
  ["discord", 403, { message: "Missing Permissions", code: 50013 }, "problem", "permissions"],
  ["discord", 400, { message: "Webhooks posted to forum channels must have a thread_name", code: 220001 }, "problem", "forum"],
  [
    "discord",
    400,
    {
      message: "Invalid Form Body",
      code: 50035,
      errors: {
        embeds: { 0: { title: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 256 or fewer in length." }] } } }
      }
    },
    "Dead",
    "embeds.0.title: Must be 256 or fewer in length."
  ],
  ["slack", 404, "no_service", "problem", "create a new one"],
  ["slack", 410, "channel_is_archived", "problem", "archived"],
  ["slack", 404, "channel_not_found", "problem", "deleted"],
  ["slack", 403, "action_prohibited", "problem", "admin"],
  ["slack", 400, "invalid_payload", "Dead", "refuses the message (\"invalid_payload\")"],
  ["slack", 200, { ok: false, error: "no_active_hooks" }, "problem", "switched off"],
  ["slack", 400, "rate_limited", "Again", "limits how often"],
  ["slack", 500, "rollup_error", "Again", "rollup_error"],
  ["slack", 200, "ok", "Delivered", ""],
  ["teams", 202, "", "Delivered", ""],
  [
    "teams",
    200,
    "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId tcid=1",
    "Again",
    "limits how often"
  ],
  [
    "teams",
    200,
    "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 404 with ContextId tcid=1",
    "problem",
    "removed"
  ],
  ["teams", 200, "Summary or Text is required.", "Dead", "Summary or Text is required"],
  ["teams", 400, { error: { code: "WorkflowTriggerIsNotEnabled", message: "Not enabled" } }, "problem", "switched off"],
  ["teams", 401, { error: { code: "DirectApiAuthorizationRequired", message: "Sign in" } }, "problem", "let anyone trigger it"],
  ["teams", 404, { error: { code: "WorkflowNotFound", message: "Gone" } }, "problem", "create a new one"],
  [
    "pagerduty",
    400,
    {
      status: "invalid event",
      message: "Event object is invalid",
      errors: ["Length of 'routing_key' is incorrect (should be 32 characters)"]
    },
    "problem",
    "events.eu.pagerduty.com"
  ],
  [
    "pagerduty",
    400,
    { message: "Event object is invalid", errors: ["'payload.severity' is invalid"] },
    "Dead",
    "'payload.severity'"
  ],
  ["pagerduty", 429, { message: "Rate limit exceeded" }, "Again", "limits how often"],
  ["opsgenie", 403, { message: `You are not authorized with ${key}` }, "problem", "api.eu.opsgenie.com"],
  [
    "opsgenie",
    422,
    { message: "Request body is not processable", errors: { message: "Message can not be empty." } },
    "Dead",
    "Message can not be empty"
  ],
  ["opsgenie", 429, { message: "You are making too many requests!" }, "Again", "too many requests"],
  [
    "ntfy",
    403,
    { code: 40301, http: 403, error: "forbidden", link: "https://ntfy.sh/docs/publish/#authentication" },
    "problem",
    "#authentication"
  ],
  ["ntfy", 400, { code: 40009, http: 400, error: "invalid request: topic invalid" }, "problem", "topic invalid"],
  ["ntfy", 429, { code: 42901, http: 429, error: "limit reached: too many requests" }, "Again", "limit reached"],
  ["webhook", 410, "", "problem", "410 Gone"],
  ["webhook", 404, { message: `secret of the receiver ${key}` }, "Dead", "Answered 404 Not Found"]
]

describe("the answer of a service", () => {
  it.scopedLive.each(cases.map((one) => ({ name: `${one[0]} ${one[1]} ${JSON.stringify(one[2]).slice(0, 60)}`, one })))(
    "says what is wrong: $name",
    ({ one: [kind, status, body, fate, words] }) =>
      Effect.gen(function*() {
        const found = yield* answered(kind, status, body)
        expect([found.isProblem ? "problem" : found.fate, found.shown]).toEqual([fate, expect.stringContaining(words)])
      })
  )

  it.scopedLive("says how long to wait, in a header or in the body", () =>
    Effect.gen(function*() {
      const bodies = [
        ["telegram", telegram("Too Many Requests: retry after 35", { parameters: { retry_after: 35 } }), 35],
        ["discord", { message: "You are being rate limited.", retry_after: 0.65, global: false }, 1],
        ["discord", { message: "You are being rate limited.", retry_after: 64.57, global: true }, 65]
      ] as const
      for (const [kind, body, seconds] of bodies) {
        const { fate, wait } = yield* answered(kind, 429, body)
        expect([fate, wait]).toEqual(["Again", Duration.seconds(seconds)])
      }
      const inHeader = yield* answered("ntfy", 429, { error: "limit reached" }, { "retry-after": "90" })
      expect(inHeader.wait).toEqual(Duration.seconds(90))
    }))

  it.scopedLive("that names a new address is not followed, and the channel shows the address without its secrets", () =>
    Effect.gen(function*() {
      const location = `https://user:pass@new.example/hook?token=${key}`
      const moved = yield* answered("webhook", 308, "", { location })
      expect(moved).toMatchObject({ fate: "Again", isProblem: true, shown: expect.stringContaining("new.example/hook") })
      expect(moved.shown).not.toContain("pass")
      expect(yield* answered("webhook", 302, "", { location })).toMatchObject({ fate: "Again", isProblem: false })
    }))
})

describe("an app in Slack", () => {
  it.scopedLive("has posted what Slack says it has, however long its answer, and tries again after one that is not Slack's", () =>
    Effect.gen(function*() {
      const answers = [
        [JSON.stringify({ ok: true, message: { text: "日".repeat(20_000) } }), "Delivered"],
        ["<html>A proxy</html>", "Again"],
        [JSON.stringify({ ok: false, error: "invalid_blocks" }), "Dead"]
      ] as const
      for (const [text, fate] of answers) {
        const { url } = yield* receiver((response) => void response.writeHead(200).end(text))
        const app = { botToken: "xoxb-1", chatId: "C012AB3CD" }
        const { verdict } = yield* attempt(channelKinds.slack, app, undefined, { slack: new URL(url).origin })
        expect([text.slice(0, 20), verdict._tag]).toEqual([text.slice(0, 20), fate])
      }
    }))
})

describe("a Telegram channel", () => {
  /** A group that has become a supergroup, and a parser that knows no formatting. */
  const sent = (isParser: boolean) =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver((response, _, { body }) => {
        const { chat_id: chat, parse_mode: mode, text } = JSON.parse(body)
        const refuse = (description: string, more: object = {}) =>
          void response.writeHead(400).end(JSON.stringify(telegram(description, more)))
        if (chat === "-100") {
          return refuse("Bad Request: group chat was upgraded to a supergroup chat", {
            parameters: { migrate_to_chat_id: -1009 }
          })
        }
        if (isParser && mode !== undefined) return refuse("Bad Request: can't parse entities: Can't find end of bold entity")
        return void response.writeHead(text.length > 4096 ? 400 : 200).end(JSON.stringify({ ok: true }))
      })
      const given = settings.telegram("")
      const { answer, verdict } = yield* attempt(channelKinds.telegram, given, undefined, { telegram: new URL(url).origin })
      return { answer, verdict, bodies: seen.map(({ body }) => JSON.parse(body)) }
    })

  it.scopedLive("sends to the supergroup that its group has become, and says so", () =>
    Effect.gen(function*() {
      const { answer, bodies, verdict } = yield* sent(false)
      expect(bodies.map(({ chat_id: chat }) => chat)).toEqual(["-100", "-1009"])
      expect(answer).toMatchObject({ moved: { settings: { chatId: "-1009" } } })
      expect(verdict).toMatchObject({
        _tag: "Delivered",
        note: "Telegram turned the group into a supergroup; chatId is now -1009"
      })
    }))

  it.scopedLive("sends plain text if Telegram cannot read the formatting", () =>
    Effect.gen(function*() {
      const { bodies, verdict } = yield* sent(true)
      expect(verdict).toMatchObject({ _tag: "Delivered" })
      expect(bodies.map(({ parse_mode: mode }) => mode)).toEqual(["MarkdownV2", "MarkdownV2", undefined])
      expect(bodies[2].text).toContain("is down: 503 Service Unavailable")
      expect(bodies[2].text).not.toContain("\\-")
    }))
})
