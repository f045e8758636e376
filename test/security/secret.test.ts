/** The deployment's secret against somebody who guesses it, and what it is read from. */
import { describe, expect, it, layer } from "@effect/vitest"
import { DateTime, Effect, Either, Layer, Option, Redacted } from "effect"
import { createHmac, hkdfSync } from "node:crypto"
import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ChannelId, IncidentId, WorkspaceId } from "../../schema/Ids.ts"
import { secretOfCommand } from "../../src/commands/SecretCommand.ts"
import { leaveToken } from "../../src/domain/mail/LeaveToken.ts"
import { readSettings } from "../../src/settings/Settings.ts"
import { unknownSettings } from "../../src/settings/UnknownSettings.ts"
import { AcknowledgeTokens } from "../../src/store/incident/AcknowledgeTokens.ts"
import { LinkKeys } from "../../src/store/LinkKeys.ts"
import { newFolder } from "../flows/support/Program.ts"
import { forgetLimits, newOwner, newVisitor } from "../support/browser/Visitor.ts"
import { programKeys, programOf } from "../support/program/Program.ts"
import { otherSecret, testSecret } from "../support/program/TestInstallation.ts"
import { call, callJson, newKey, post } from "../support/program/TestServer.ts"

/** The line of a start with these settings. */
const refusal = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.either(readSettings("all", environment)), (read) => Either.isLeft(read) ? read.left.message : null)

describe("a secret that is easy to guess", () => {
  const weak = ["aaaaaaaaaaaaaaaaaaaaaaaa", "passwordpassword", "changeme-changeme-changeme", "0123456789abcdef", "s".repeat(64)]

  it.effect("is refused with a way out, however long it is, and is not repeated", () =>
    Effect.gen(function*() {
      for (const name of ["BELLTOWER_SECRET", "BELLTOWER_METRICS_TOKEN"]) {
        for (const value of weak) {
          const line = (yield* refusal({ [name]: value })) ?? "accepted"
          expect(line).toMatch(new RegExp(`^${name} must be harder to guess\\. Use a random one, such as the output of "openssl`))
          expect(line).not.toContain(value)
        }
      }
      expect(yield* refusal({ BELLTOWER_SECRET: weak[0] ?? "" })).toContain("give it as BELLTOWER_SECRET_PREVIOUS")
      expect(yield* refusal({ BELLTOWER_SECRET: testSecret, BELLTOWER_METRICS_TOKEN: otherSecret })).toBeNull()
    }))

  it.effect("may be the previous one, or nobody could replace it", () =>
    Effect.gen(function*() {
      const { secretPrevious } = yield* readSettings("all", {
        BELLTOWER_SECRET: testSecret,
        BELLTOWER_SECRET_PREVIOUS: "changeme"
      })
      expect(Option.map(secretPrevious, Redacted.value)).toEqual(Option.some("changeme"))
    }))
})

/** Every key that follows from a secret, in this version or an earlier one. */
const keysOf = (secret: string): ReadonlyArray<Buffer> =>
  ["sealed/v1", "sealed/v2", "hashed/v1", "mcp-session/v1", "stream-token/v1", "cluster/v1", "key-id/v2", "link-sealing/v1"].map(
    (purpose) => Buffer.from(hkdfSync("sha256", secret, "", `belltower/${purpose}`, 32))
  )

const signature = (key: Buffer, text: string): string => createHmac("sha256", key).update(text).digest("base64url")

/** Whether a signature, or its beginning, tells somebody who guesses the secret that the guess is right. */
const confirms = (secret: string, texts: ReadonlyArray<string>, given: string): boolean =>
  keysOf(secret).some((key) => texts.some((text) => signature(key, text).startsWith(given)))

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "stranger", version: "1" } }
}

const atEnd = (token: string): readonly [text: string, signature: string] => {
  const dot = token.lastIndexOf(".")
  return [token.slice(0, dot), token.slice(dot + 1)]
}

const provider = { BELLTOWER_GITHUB_CLIENT_ID: "belltower", BELLTOWER_GITHUB_CLIENT_SECRET: "of the provider" }

layer(programOf(provider), { excludeTestServices: true, timeout: "120 seconds" })("what strangers are given", (it) => {
  it.effect("confirms no guess of the secret: ids of sessions, tokens of streams, grants of pages, feeds and links", () =>
    Effect.gen(function*() {
      // The signatures of an earlier version did.
      const formerly = signature(keysOf(testSecret)[2] ?? Buffer.alloc(0), "acknowledge 1")
      expect([testSecret, otherSecret].map((guess) => confirms(guess, ["acknowledge 1"], formerly))).toEqual([true, false])

      const { key, visitor } = yield* newOwner()
      const api = (path: string, body: unknown) => visitor.api("POST", path, body, { authorization: `Bearer ${key}` })
      const given: Array<readonly [what: string, texts: ReadonlyArray<string>, signature: string]> = []

      const begun = yield* post("/mcp/public", initialize)
      const [session, ofSession] = atEnd(begun.headers.get("mcp-session-id") ?? "")
      given.push(["an MCP session", [session, `mcp session ${session}`], ofSession])

      const { body } = yield* api("/stream-tokens", {})
      const [stream, ofStream] = atEnd(String(body.token))
      given.push(["a stream token", [stream, `stream token ${stream}`], ofStream])

      const page = (yield* api("/pages", { name: "Acme", visibility: "private", password: "correct horse" })).body
      yield* forgetLimits
      const reader = yield* newVisitor
      yield* reader.submit(`/s/${page.slug}/password`, { password: "correct horse" })
      const [expires, ofGrant] = atEnd([...reader.cookies.values()][0] ?? "")
      const setAt = new Date(page.passwordSetAt ?? page.updatedAt).getTime()
      const texts = Array.from({ length: 2001 }, (_, ms) => `page grant ${page.id} ${setAt + ms - 1000} ${expires}`)
      given.push(["the grant of a page", texts, ofGrant])

      const { body: me } = yield* visitor.api("GET", "/me")
      const schedule = (yield* api("/oncall/schedules", {
        name: "Ops",
        timezone: "UTC",
        handoffDay: 0,
        handoffTime: "09:00",
        participants: [me.user.id]
      })).body
      const [, holder = "", feed = ""] = /\/([\w-]+)\.([\w-]{43})\.ics$/.exec(String(schedule.feedUrl)) ?? []
      given.push(["a calendar feed", [0, 1, 2].map((version) => `oncall feed ${schedule.id} ${version} ${holder}`), feed])

      const signer = yield* LinkKeys
      const leaver = { workspaceId: WorkspaceId.make("ws_1"), channelId: ChannelId.make("ch_1"), email: "ada@example.com" }
      const [leave, ofLeave] = atEnd(leaveToken(signer, leaver))
      given.push(["an unsubscribe link", [`leave an email channel\n${leave}`], ofLeave])

      const tokens = yield* AcknowledgeTokens
      const token = tokens.make(
        { incidentId: IncidentId.make(`inc_${"0".repeat(26)}`), recipient: `ch_${"0".repeat(26)}` },
        yield* DateTime.now
      )
      given.push(["an acknowledge link", [`acknowledge ${token.slice(0, -22)}`], token.slice(-22)])

      for (const [what, signed, part] of given) {
        expect([what, part.length >= 22, confirms(testSecret, signed, part)]).toEqual([what, true, false])
      }
    }).pipe(Effect.provide(AcknowledgeTokens.Default.pipe(Layer.provideMerge(programKeys)))))

  it.effect("holds nothing that the secret has sealed", () =>
    Effect.gen(function*() {
      const visitor = yield* newVisitor
      expect((yield* visitor.submit("/auth/github")).status).toBe(303)
      const cookies = [...visitor.cookies.values()].map((value) => decodeURIComponent(value))
      expect(cookies.filter((value) => value.length > 100)).toHaveLength(1)
      for (const value of cookies) {
        // Version 1 of sealed values begins with its number, version 2 with its number and the id of the secret.
        expect([value.startsWith("2."), Buffer.from(value, "base64")[0] === 1 && value.startsWith("AQ")]).toEqual([false, false])
      }
    }))

  it.effect("cannot be forged by somebody who has learned the secret, but not the database", () =>
    Effect.gen(function*() {
      const { keyId, workspaceId } = yield* newKey()
      const until = (Math.floor(Date.now() / 1000) + 600).toString(36)
      for (const key of keysOf(testSecret)) {
        for (const purpose of ["", "stream token "]) {
          const text = `${until}.${workspaceId}.${keyId}`
          const forged = `${text}.${signature(key, `${purpose}${text}`)}`
          expect((yield* call(`/api/v1/stream?token=${forged}`)).status).toBe(401)
        }
        const session = `${Math.floor(Date.now() / 1000).toString(36)}.${"A".repeat(22)}`
        for (const purpose of ["", "mcp session "]) {
          const id = `${session}.${signature(key, `${purpose}${session}`)}`
          expect((yield* callJson("/mcp/public", { method: "DELETE", headers: { "mcp-session-id": id } })).status).toBe(404)
        }
      }
    }))
})

describe("a setting in a file", () => {
  it.scoped("is read without the line break at its end, whatever the setting is", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      const write = (name: string, text: string) =>
        Effect.as(Effect.promise(() => writeFile(join(folder, name), text)), join(folder, name))
      const environment = {
        BELLTOWER_SECRET_FILE: yield* write("secret", `${testSecret}\n`),
        DATABASE_URL_FILE: yield* write("database", "postgres://me:pa55word@db/belltower\r\n"),
        BELLTOWER_REGION_FILE: yield* write("region", "eu")
      }
      const { databaseUrl, region, secret } = yield* readSettings("all", environment)
      expect([Option.map(secret, Redacted.value), Option.map(databaseUrl, Redacted.value), region]).toEqual([
        Option.some(testSecret),
        Option.some("postgres://me:pa55word@db/belltower"),
        "eu"
      ])
      expect(yield* unknownSettings(environment)).toEqual([])
      expect(yield* unknownSettings({ BELLTOWER_SECRT_FILE: "x" })).toHaveLength(1)
    }))

  it.scoped("that is given twice, is missing or is empty is refused by its name, without what is in it", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      const [file, empty, weak] = [join(folder, "secret"), join(folder, "empty"), join(folder, "weak")]
      yield* Effect.promise(() => Promise.all([writeFile(file, testSecret), writeFile(empty, "\n"), writeFile(weak, "changeme")]))
      const twice = yield* refusal({ BELLTOWER_SECRET: otherSecret, BELLTOWER_SECRET_FILE: file })
      expect(twice).toBe("BELLTOWER_SECRET_FILE and BELLTOWER_SECRET are both set. Remove one of them.")
      expect(yield* refusal({ BELLTOWER_SECRET_FILE: join(folder, "nothing") })).toMatch(
        /^BELLTOWER_SECRET_FILE must name a file that can be read: ENOENT/
      )
      expect(yield* refusal({ BELLTOWER_SECRET_FILE: folder })).toMatch(
        /^BELLTOWER_SECRET_FILE must name a file that can be read: EISDIR/
      )
      expect(yield* refusal({ BELLTOWER_SECRET_FILE: empty })).toMatch(/^BELLTOWER_SECRET_FILE must not name an empty file/)
      const line = (yield* refusal({ BELLTOWER_SECRET_FILE: weak })) ?? ""
      expect(line).toMatch(/^BELLTOWER_SECRET must have at least 16 characters/)
      expect(line).not.toContain("changeme")
    }))
})

describe("a command that prints the secret", () => {
  /** A script of the operator. */
  const script = Effect.fn("script")(function*(text: string) {
    const path = join(yield* newFolder, "read-secret")
    yield* Effect.promise(() => writeFile(path, `#!/bin/sh\n${text}\n`).then(() => chmod(path, 0o755)))
    return path
  })
  const failure = (argv: readonly [string, ...ReadonlyArray<string>], timeoutSec?: number) =>
    Effect.map(Effect.flip(secretOfCommand(argv, timeoutSec)), ({ message }) => message)

  it.scopedLive("is run without a shell, and its output is the secret", () =>
    Effect.gen(function*() {
      const path = yield* script(`[ "$1" = '$(id); x' ] && [ -z "$(cat)" ] && echo ${testSecret}`)
      expect(Redacted.value(yield* secretOfCommand([path, "$(id); x"]))).toBe(testSecret)
      const { secretCommand } = yield* readSettings("all", { BELLTOWER_SECRET_COMMAND: JSON.stringify([path, "a b"]) })
      expect(secretCommand).toEqual(Option.some([path, "a b"]))
      for (const wrong of [path, "[]", "[\"\"]", "{\"a\":1}"]) {
        expect(yield* refusal({ BELLTOWER_SECRET_COMMAND: wrong })).toMatch(
          /^BELLTOWER_SECRET_COMMAND must be a program and its arguments in JSON/
        )
      }
      expect(yield* refusal({ BELLTOWER_SECRET: testSecret, BELLTOWER_SECRET_COMMAND: JSON.stringify([path]) })).toBe(
        "BELLTOWER_SECRET_COMMAND and BELLTOWER_SECRET are both set. Remove one of them."
      )
    }))

  it.scopedLive("that fails is reported with its own words, and never with what it printed", () =>
    Effect.gen(function*() {
      const failing = yield* failure([
        yield* script(`echo ${testSecret}; echo 'Access denied' >&2; echo 'to the key' >&2; exit 3`)
      ])
      expect(failing).toBe("BELLTOWER_SECRET_COMMAND failed with exit code 3: Access denied; to the key")
      expect(yield* failure(["/nonexistent/read-secret"])).toBe(
        "BELLTOWER_SECRET_COMMAND cannot be run: ENOENT /nonexistent/read-secret"
      )
      expect(yield* failure([yield* script("true")])).toBe("BELLTOWER_SECRET_COMMAND printed nothing")
      expect(yield* failure([yield* script("echo changemechangeme")])).toMatch(
        /^BELLTOWER_SECRET_COMMAND printed a secret that must be harder to guess\. Use a random one/
      )
      expect(yield* failure([yield* script("head -c 200000 /dev/zero")])).toBe(
        "BELLTOWER_SECRET_COMMAND printed more than 65536 bytes"
      )
    }))

  it.scopedLive("that hangs, with all that it has started, is given up", () =>
    Effect.gen(function*() {
      const hanging = yield* script("echo waiting for the key service >&2; sleep 60; echo late")
      expect(yield* failure([hanging], 1)).toBe(
        "BELLTOWER_SECRET_COMMAND did not end within 1 seconds: waiting for the key service"
      )
    }))
})
