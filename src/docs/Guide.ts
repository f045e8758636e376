/** How the interface works beyond its single operations: the one text behind /docs, /llms.txt and the MCP guide. */
import { failureRows } from "../http/openapi/OpenApiErrors.ts"

/** Text may hold `code` in backticks. */
export type Block =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "List"; readonly items: ReadonlyArray<string> }
  | { readonly _tag: "Code"; readonly title: string; readonly code: string }
  | { readonly _tag: "Table"; readonly head: ReadonlyArray<string>; readonly rows: ReadonlyArray<ReadonlyArray<string>> }

export interface Section {
  /** Its anchor. */
  readonly id: string
  readonly title: string
  readonly blocks: ReadonlyArray<Block>
}

const text = (words: string): Block => ({ _tag: "Text", text: words })
const list = (...items: ReadonlyArray<string>): Block => ({ _tag: "List", items })
const code = (title: string, lines: string): Block => ({ _tag: "Code", title, code: lines })
const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): Block => ({ _tag: "Table", head, rows })

const json = (value: unknown) => JSON.stringify(value, null, 2)

const start = (baseUrl: string): Section => ({
  id: "start",
  title: "Start",
  blocks: [
    text("All operations live below `/api/v1`, take and answer JSON, and exist under the same name as tools over MCP."),
    code(
      "From nothing to a watched service",
      `curl -s ${baseUrl}/api/v1/agent/bootstrap \\\n` +
        "  -H 'content-type: application/json' -d '{\"agentName\":\"me\"}'\n" +
        "# keep apiKey as KEY, hand claimUrl to a human: an unclaimed workspace is deleted after 7 days\n" +
        "# where alerts go: without a channel nobody hears of an outage, and monitors are given those that are there\n" +
        `curl -s ${baseUrl}/api/v1/channels \\\n` +
        "  -H \"authorization: Bearer $KEY\" -H 'content-type: application/json' \\\n" +
        `  -d '{"name":"Ops","type":"webhook","url":"https://hooks.example.com/belltower"}'\n` +
        `curl -s ${baseUrl}/api/v1/services \\\n` +
        "  -H \"authorization: Bearer $KEY\" -H 'content-type: application/json' \\\n" +
        `  -d '{"name":"Shop","url":"https://shop.example.com/health","statusPage":"Acme"}'\n` +
        `curl -s ${baseUrl}/api/v1/events -H "authorization: Bearer $KEY"`
    )
  ]
})

const authentication: Section = {
  id: "authentication",
  title: "Authentication",
  blocks: [
    text("Send a key with each request: `Authorization: Bearer bell_live_...`. The workspace follows from the key."),
    list(
      "A key has the scope `read`, `write` or both; a key that may write may read. A write with a read-only key is a 403.",
      "A missing, malformed, revoked or expired key is a 401.",
      "Operations marked public need no key and ignore one. Heartbeat and push addresses hold their secret in the path.",
      "People who are signed in use the same interface with a session cookie; their writes must come from a page of this service. " +
        "`x-workspace` chooses among their workspaces.",
      "Browsers of any origin may call `/api/v1` and `/mcp`."
    )
  ]
}

const requests: Section = {
  id: "requests",
  title: "Requests and answers",
  blocks: [
    list(
      "Bodies are JSON objects. Without a JSON content type a form is read as its fields, and any other text as `message`.",
      "Query, body and path are merged into one set of fields; the path wins. A misspelt field of a body is refused by name.",
      "One resource is answered bare, a list as `{\"data\": [...], \"next\": ...}`: feed `next` back in for the next page, null is the end.",
      "Timestamps are ISO 8601 in UTC with milliseconds. Ids have a prefix that tells their kind and sort by time of creation.",
      "Wherever a page id is expected, its slug will do.",
      "Each answer carries `x-request-id`; name it when you report a fault."
    )
  ]
}

const errors: Section = {
  id: "errors",
  title: "Errors",
  blocks: [
    text("Every failure has the same envelope. Decide by `code`, which is stable; `message` and `hint` are for people."),
    code(
      "A failure",
      json({
        error: {
          code: "validation_failed",
          message: "The input is not valid",
          details: [{ path: "assertions.0.op", message: "Expected one of \"eq\", \"neq\", ..." }]
        }
      })
    ),
    table(
      ["Status", "Code", "Meaning"],
      failureRows.map(({ error, meaning, status }) => [
        String(status),
        `\`${error.code}\``,
        meaning.replace(/ \(\w+\)$/, "")
      ])
    ),
    text("A known path with another method is a 405 with `Allow`; an unknown path is a 404 with a link to this description.")
  ]
}

const limits: Section = {
  id: "limits",
  title: "Limits",
  blocks: [
    table(["What", "Limit", "Counted by"], [
      ["`POST /api/v1/agent/bootstrap`", "5 an hour", "address"],
      ["`/hb/{token}` and `/api/v1/heartbeat/{token}` together", "120 a minute", "token"],
      ["`/api/v1/push/{token}`", "120 a minute", "token"],
      ["Sign-in mails", "5 in 15 minutes, and 20 in 15 minutes", "mail address, and address"],
      ["Body of a request", "1 MiB", "request"]
    ]),
    text(
      "Calls with a key are not limited in number. Windows are fixed, such as each clock hour; beyond the limit the answer is a 429 with " +
        "`Retry-After` in seconds. What a plan limits answers 402 with `details.upgrade`."
    )
  ]
}

const idempotency: Section = {
  id: "idempotency",
  title: "Idempotency",
  blocks: [
    text(
      "Send `Idempotency-Key` (any text of up to 100 characters) with a POST that must not happen twice. The first success is kept for " +
        "24 hours; the same key on the same operation answers it again, with `idempotent-replayed: true`, and runs nothing. Failures are " +
        "not kept. Public operations ignore it. Over MCP the key goes into the call's `_meta` as `belltower/idempotency-key`."
    )
  ]
}

const events: Section = {
  id: "events",
  title: "Events and webhooks",
  blocks: [
    text(
      "Everything that happens is an event. `list_events` reads the log: with `after` it tells what came after that id, oldest first; feed " +
        "`next` back in and nothing is missed. Webhook channels receive the same as signed POSTs (Standard Webhooks)."
    ),
    table(["Header", "Value"], [
      ["`webhook-id`", "The event's id, the same in every attempt: use it to drop what you have already"],
      ["`webhook-timestamp`", "Unix seconds of this attempt; refuse what is more than 5 minutes off"],
      [
        "`webhook-signature`",
        "`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`; may hold several"
      ]
    ]),
    code(
      "Verifying a signature (Node.js)",
      "import { createHmac, timingSafeEqual } from \"node:crypto\"\n\n" +
        "const verify = (secret, headers, rawBody) => {\n" +
        "  const key = Buffer.from(secret.replace(/^whsec_/, \"\"), \"base64\")\n" +
        "  const signed = `${headers[\"webhook-id\"]}.${headers[\"webhook-timestamp\"]}.${rawBody}`\n" +
        "  const own = createHmac(\"sha256\", key).update(signed).digest()\n" +
        "  const fresh = Math.abs(Date.now() / 1000 - Number(headers[\"webhook-timestamp\"])) < 300\n" +
        "  return fresh && headers[\"webhook-signature\"].split(\" \").some((entry) => {\n" +
        "    const given = Buffer.from(entry.replace(/^v1,/, \"\"), \"base64\")\n" +
        "    return given.length === own.length && timingSafeEqual(given, own)\n" +
        "  })\n" +
        "}"
    ),
    text(
      "Any 2xx within 10 seconds is success; redirects are not followed. Otherwise a delivery is tried up to 8 times over about 11 hours, " +
        "always with the same id and body. A 4xx other than 408 and 429 ends it at once. The order is not guaranteed."
    )
  ]
}

const stream = (baseUrl: string): Section => ({
  id: "stream",
  title: "Live stream",
  blocks: [
    text(
      "`GET /api/v1/stream` sends events as they happen (Server-Sent Events). `types` takes exact types and prefixes such as `monitor.*`; " +
        "`after`, or the header `Last-Event-ID`, goes on after an event; `checks=1` adds a `check.completed` frame for every finished check, " +
        "without an id. A comment comes every 15 seconds; after about 10 minutes the stream closes: connect again with the last id."
    ),
    code("Following the monitors", `curl -N "${baseUrl}/api/v1/stream?types=monitor.*" -H "authorization: Bearer $KEY"`)
  ]
})

const mcp = (baseUrl: string): Section => ({
  id: "mcp",
  title: "MCP",
  blocks: [
    text(
      `Agents connect to \`${baseUrl}/mcp\` (Streamable HTTP) with an API key as a header. Every operation is a tool of the same name; a ` +
        "read-only key sees the tools that read. A tool that fails answers `isError` with the envelope above."
    ),
    text(
      `An agent without a key connects to \`${baseUrl}/mcp/public\`, which has the public tools, and calls \`bootstrap_workspace\` there to get one. ` +
        "On `/mcp` a missing, malformed, unknown, revoked or expired key is a 401."
    ),
    code("Claude Code", `claude mcp add --transport http belltower ${baseUrl}/mcp --header "Authorization: Bearer $KEY"`),
    code(
      "Cursor, .cursor/mcp.json",
      json({
        mcpServers: { belltower: { url: `${baseUrl}/mcp`, headers: { Authorization: "Bearer bell_live_..." } } }
      })
    ),
    code(
      "VS Code, .vscode/mcp.json",
      json({
        servers: { belltower: { type: "http", url: `${baseUrl}/mcp`, headers: { Authorization: "Bearer bell_live_..." } } }
      })
    ),
    code(
      "A client that speaks stdio alone",
      json({
        mcpServers: {
          belltower: { command: "npx", args: ["mcp-remote", `${baseUrl}/mcp`, "--header", "Authorization: Bearer bell_live_..."] }
        }
      })
    ),
    text(
      "Sessions are optional and known to every process of the deployment. Prompts help with setting up monitoring, investigating an " +
        "incident and reviewing a workspace; resources hold this guide, the OpenAPI document, and single operations and monitors."
    )
  ]
})

/** The sections in reading order. */
export const guide = (baseUrl: string): ReadonlyArray<Section> => [
  start(baseUrl),
  authentication,
  requests,
  errors,
  limits,
  idempotency,
  events,
  stream(baseUrl),
  mcp(baseUrl)
]
