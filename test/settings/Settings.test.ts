/** Settings for mail and sign-in providers: complete or rejected, with a message that reveals no secret. */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, TestClock } from "effect"
import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { probeServices } from "../../src/deployment/ProbeServices.ts"
import { readSettings } from "../../src/settings/Settings.ts"
import { metricValue } from "../support/measure/MetricValue.ts"
import { openWorkshop } from "../support/targets/CertificateWorkshop.ts"

const refusal = (environment: Record<string, string>) =>
  Effect.map(Effect.flip(readSettings("all", environment)), ({ message }) => message)

it.effect("an invalid variable is rejected by its name", () =>
  Effect.gen(function*() {
    const wrong: ReadonlyArray<readonly [string, string]> = [
      ["PORT", "70000"],
      ["BELLTOWER_ALLOW_TARGETS", "foo"],
      ["BELLTOWER_URL", "status.example.com"],
      ["DATABASE_URL", "mysql://localhost/x"],
      ["DATABASE_POOL", "0"],
      ["BELLTOWER_REGION", "EU West"],
      ["BELLTOWER_CANARIES", "nowhere"],
      ["BELLTOWER_LOG_LEVEL", "loud"],
      ["BELLTOWER_LOG_FORMAT", "xml"],
      ["KAFKA_PARTITIONS", "many"],
      ["BELLTOWER_URL", "https://me:hunter22@status.example.com"],
      ["BELLTOWER_URL", "https://status.example.com/?a=1"],
      ["BELLTOWER_URL", "https://example.com/status/"],
      ["BELLTOWER_NTFY_URL", "https://ntfy.example.com/#topic"],
      ["BELLTOWER_ALLOWED_HOSTS", "status.lan, https://status.example.com"],
      ["BELLTOWER_ALLOWED_HOSTS", "status.example.com:8443"],
      ["BELLTOWER_RESERVED_DOMAINS", "*"],
      ["KAFKA_BROKERS", "kafka.example.com"],
      ["KAFKA_BROKERS", "a:9092, b:99999"],
      ["KAFKA_BROKERS", "[::1]:9092"],
      ["KAFKA_TOPIC_PREFIX", "my topics/"],
      ["BELLTOWER_RUNNER_HOST", "0.0.0.0"],
      ["BELLTOWER_RUNNER_HOST", "http://10.0.0.7"],
      ["BELLTOWER_RUNNER_PORT", "0"]
    ]
    for (const [name, value] of wrong) {
      expect(yield* refusal({ [name]: value })).toMatch(new RegExp(`^${name} (must|cannot|is not valid)`))
    }
  }))

it.effect("a mail server is an smtp URL, and its password is never shown", () =>
  Effect.gen(function*() {
    const { mailFrom, smtpUrl } = yield* readSettings("all", {
      SMTP_URL: "smtps://user:hunter22@mail.example.com",
      BELLTOWER_MAIL_FROM: "Belltower <bell@example.com>"
    })
    expect(Option.map(smtpUrl, Redacted.value)).toEqual(Option.some("smtps://user:hunter22@mail.example.com"))
    expect([String(smtpUrl).includes("hunter22"), JSON.stringify(smtpUrl).includes("hunter22")]).toEqual([false, false])
    expect(mailFrom).toEqual(Option.some("Belltower <bell@example.com>"))
    const wrong = yield* refusal({ SMTP_URL: "http://user:hunter22@mail.example.com" })
    expect([wrong, wrong.includes("hunter22")]).toEqual(["SMTP_URL must be a URL that begins with smtp:// or smtps://", false])
    for (const from of ["Belltower", "a@b@c", "A <a@b>\r\nBcc: eve@evil.test", "A <a@b>, B <c@d>"]) {
      expect(yield* refusal({ BELLTOWER_MAIL_FROM: from })).toContain("BELLTOWER_MAIL_FROM must be an address")
    }
  }))

it.effect("a replica belongs to an external database, and its password is never shown", () =>
  Effect.gen(function*() {
    const replica = { DATABASE_READ_URL: "postgres://bell:hunter22@replica/bell" }
    const given = yield* readSettings("all", { ...replica, DATABASE_URL: "postgres://bell:hunter22@primary/bell" })
    expect(Option.map(given.databaseReadUrl, Redacted.value)).toEqual(Option.some(replica.DATABASE_READ_URL))
    expect(JSON.stringify(given.databaseReadUrl)).not.toContain("hunter22")
    expect(yield* refusal(replica)).toMatch(/^DATABASE_READ_URL is the standby of an external database\. Set DATABASE_URL/)
  }))

it.effect("texts and calls need an account with its token and a sender, or a webhook with its secret", () =>
  Effect.gen(function*() {
    const { phone: none } = yield* readSettings("all", {})
    expect(none).toMatchObject({ prefixes: [], limits: { personAnHour: 20, workspaceADay: 200, allADay: 2000 } })
    expect([Option.isNone(none.twilio), Option.isNone(none.webhook)]).toEqual([true, true])
    const account = {
      BELLTOWER_TWILIO_ACCOUNT_SID: "AC0123456789abcdef0123456789abcdef",
      BELLTOWER_TWILIO_AUTH_TOKEN: "hunter22",
      BELLTOWER_TWILIO_FROM: "+4930123456"
    }
    const { phone } = yield* readSettings("all", { ...account, BELLTOWER_PHONE_PREFIXES: "+49, +43" })
    expect(Option.getOrThrow(phone.twilio)).toMatchObject({ from: "+4930123456", caller: null, url: "https://api.twilio.com" })
    expect(phone.prefixes).toEqual(["+49", "+43"])
    expect(JSON.stringify(phone)).not.toContain("hunter22")
    expect(yield* refusal({ BELLTOWER_TWILIO_AUTH_TOKEN: "hunter22", BELLTOWER_TWILIO_FROM: "+4930123456" }))
      .toMatch(/^BELLTOWER_TWILIO_ACCOUNT_SID is also required/)
    expect(yield* refusal({ ...account, BELLTOWER_TWILIO_FROM: "030 123456" })).toMatch(/^BELLTOWER_TWILIO_FROM must be a number/)
    expect(yield* refusal({ BELLTOWER_TWILIO_CALLER: "+4930123456" })).toMatch(/^BELLTOWER_TWILIO_ACCOUNT_SID is also required/)
    const hook = { BELLTOWER_PHONE_WEBHOOK_URL: "http://10.0.0.7/sms" }
    expect(yield* refusal(hook)).toMatch(/^BELLTOWER_PHONE_WEBHOOK_SECRET is also required/)
    const weak = yield* refusal({ ...hook, BELLTOWER_PHONE_WEBHOOK_SECRET: "hunter22" })
    expect([weak.includes("must be whsec_"), weak.includes("hunter22")]).toEqual([true, false])
    expect(yield* refusal({ BELLTOWER_PHONE_PREFIXES: "49" })).toMatch(/^BELLTOWER_PHONE_PREFIXES is not valid: "49"/)
  }))

it.effect("a Google or GitHub client needs an id and a secret", () =>
  Effect.gen(function*() {
    const none = yield* readSettings("all", {})
    expect([Option.isNone(none.google), Option.isNone(none.github), none.googleIssuer, none.githubUrl])
      .toEqual([true, true, "https://accounts.google.com", "https://github.com"])
    expect(yield* refusal({ BELLTOWER_GOOGLE_CLIENT_ID: "x" })).toContain("BELLTOWER_GOOGLE_CLIENT_SECRET is also required")
    const half = yield* refusal({ BELLTOWER_GITHUB_CLIENT_SECRET: "hunter22" })
    expect([half.includes("BELLTOWER_GITHUB_CLIENT_ID is also required"), half.includes("hunter22")]).toEqual([true, false])
  }))

it.effect("brokers with TLS and SASL need all their settings, and no message shows the password", () =>
  Effect.gen(function*() {
    const { kafka } = yield* readSettings("all", {})
    expect([kafka.tls, Option.isNone(kafka.sasl), kafka.createTopics]).toEqual([null, true, true])
    const sasl = { KAFKA_SASL_MECHANISM: "scram-sha-512", KAFKA_SASL_USERNAME: "bell" }
    expect(yield* refusal(sasl)).toContain("KAFKA_SASL_PASSWORD is also required")
    const { kafka: given } = yield* readSettings("all", { ...sasl, KAFKA_SASL_PASSWORD: "hunter22", KAFKA_TLS: "on" })
    expect([Option.isSome(given.sasl), given.tls !== null, JSON.stringify(given).includes("hunter22")]).toEqual([
      true,
      true,
      false
    ])
    expect(yield* refusal({ KAFKA_SASL_MECHANISM: "gssapi" })).toContain("KAFKA_SASL_MECHANISM must be one of plain")
    expect(yield* refusal({ KAFKA_TLS: "on", KAFKA_TLS_CA: "/nowhere.pem" })).toContain("KAFKA_TLS_CA must be a file")
    expect(yield* refusal({ KAFKA_TLS_CA: "README.md" })).toContain("KAFKA_TLS_CA must be a PEM file")
  }))

it.effect("what a probe does at once, and for whom, has bounds", () =>
  Effect.gen(function*() {
    expect((yield* readSettings("all", {})).probeLimits).toEqual({ concurrency: 4000, workspacePercent: 50, hostRate: 50 })
    const names = ["BELLTOWER_PROBE_CONCURRENCY", "BELLTOWER_PROBE_WORKSPACE_PERCENT", "BELLTOWER_PROBE_HOST_RATE"]
    const given = Object.fromEntries(names.map((name, index) => [name, String(100 - index)]))
    expect((yield* readSettings("all", given)).probeLimits).toEqual({ concurrency: 100, workspacePercent: 99, hostRate: 98 })
    for (const [index, wrong] of ["3", "0", "-1"].entries()) {
      expect(yield* refusal({ [names[index]!]: wrong })).toContain(`${names[index]} must be a whole number from`)
    }
  }))

it.effect("how soon runners notice each other can be set", () =>
  Effect.gen(function*() {
    expect((yield* readSettings("all", {})).cluster).toEqual({ shardLockSec: 10, runnersSec: 2, pingSec: 5 })
    const names = ["BELLTOWER_SHARD_LOCK_SEC", "BELLTOWER_RUNNER_LIST_SEC", "BELLTOWER_RUNNER_PING_SEC"] as const
    const given = { [names[0]]: "30", [names[1]]: "4", [names[2]]: "9" }
    expect((yield* readSettings("all", given)).cluster).toEqual({ shardLockSec: 30, runnersSec: 4, pingSec: 9 })
    for (const name of names) expect(yield* refusal({ [name]: "0" })).toContain(`${name} must be a whole number from`)
  }))

it.effect("a probe checks its own connection unless that is turned off", () =>
  Effect.gen(function*() {
    expect((yield* readSettings("all", {})).checksUplink).toBe(true)
    expect((yield* readSettings("all", { BELLTOWER_UPLINK_CHECK: "off" })).checksUplink).toBe(false)
    expect(yield* refusal({ BELLTOWER_UPLINK_CHECK: "maybe" })).toContain("BELLTOWER_UPLINK_CHECK")
  }))

it.effect("caps are changed one by one, and a wrong one is named", () =>
  Effect.gen(function*() {
    const { caps } = yield* readSettings("all", { BELLTOWER_CAPS: "channels=7, unclaimed.monitors=9" })
    expect([caps.channels.most, caps.monitors.unclaimed, caps.pages.most]).toEqual([7, 9, 200])
    expect(yield* refusal({ BELLTOWER_CAPS: "monitor=7" })).toContain("BELLTOWER_CAPS is not valid: \"monitor=7\"")
  }))

it.effect("an AI provider is named with its key, or with the address of a server that may need none", () =>
  Effect.gen(function*() {
    expect(Option.isNone((yield* readSettings("all", {})).ai)).toBe(true)
    expect(yield* refusal({ BELLTOWER_AI_KEY: "hunter22" })).toMatch(/^BELLTOWER_AI_PROVIDER is also required(?!.*hunter22)/)
    expect(yield* refusal({ BELLTOWER_AI_PROVIDER: "openai" })).toContain("BELLTOWER_AI_KEY is also required")
    expect(yield* refusal({ BELLTOWER_AI_PROVIDER: "acme" })).toContain("must be one of anthropic, openai")
    const { ai } = yield* readSettings("all", { BELLTOWER_AI_PROVIDER: "anthropic", BELLTOWER_AI_KEY: "hunter22" })
    expect(Option.getOrThrow(ai)).toMatchObject({ url: "https://api.anthropic.com", model: "claude-sonnet-4-5" })
    expect(JSON.stringify(ai)).not.toContain("hunter22")
    const local = { BELLTOWER_AI_PROVIDER: "openai", BELLTOWER_AI_URL: "http://127.0.0.1:11434/v1/", BELLTOWER_AI_MODEL: "llama" }
    expect(Option.getOrThrow((yield* readSettings("all", local)).ai)).toEqual({
      provider: "openai",
      key: Option.none(),
      model: "llama",
      url: "http://127.0.0.1:11434/v1"
    })
  }))

it.scoped("certificates of the cluster are all given, and belong together", () =>
  Effect.gen(function*() {
    const { close, make } = openWorkshop()
    const folder = yield* Effect.acquireRelease(Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-settings-"))), (made) =>
      Effect.sync(() => {
        close()
        rmSync(made, { recursive: true })
      }))
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const authority = make({ name: "authority", isAuthority: true })
    const own = make({ name: "process", by: authority })
    const files = {
      BELLTOWER_CLUSTER_CA: file("ca.pem", authority.cert),
      BELLTOWER_CLUSTER_CERT: file("own.pem", own.cert),
      BELLTOWER_CLUSTER_KEY: file("own.key", own.key)
    }
    const now = Date.now()
    yield* TestClock.setTime(now)
    const { clusterCertificates } = yield* readSettings("all", files)
    expect(Option.map(clusterCertificates, ({ certificate }) =>
      certificate)).toEqual(Option.some(own.cert))
    const kafka = { KAFKA_TLS: "on", KAFKA_TLS_CERT: files.BELLTOWER_CLUSTER_CERT, KAFKA_TLS_KEY: files.BELLTOWER_CLUSTER_KEY }
    const settings = yield* readSettings("all", { ...files, ...kafka })
    yield* Layer.build(probeServices({ baseUrl: "http://127.0.0.1", settings }))
    for (const host of ["BELLTOWER_CLUSTER_CERT", "KAFKA_TLS_CERT"]) {
      expect(yield* metricValue("belltower_certificate_expiry_timestamp_seconds", { host })).toBe(
        Date.parse(new X509Certificate(own.cert).validTo) / 1000
      )
    }
    expect(yield* refusal({ ...kafka, KAFKA_TLS_KEY: file("kafka.key", authority.key) })).toMatch(
      /^KAFKA_TLS_CERT and the other files of KAFKA_TLS must be authorities, a certificate and its key: .*mismatch/
    )
    expect(yield* refusal({ ...files, BELLTOWER_CLUSTER_KEY: "" })).toContain("BELLTOWER_CLUSTER_KEY is also required")
    const stranger = make({ name: "authority", isAuthority: true })
    expect(yield* refusal({ ...files, BELLTOWER_CLUSTER_CA: file("stranger.pem", stranger.cert) })).toBe(
      "BELLTOWER_CLUSTER_CERT must be signed by the authority of BELLTOWER_CLUSTER_CA"
    )
    const between = make({ name: "between", by: authority, isAuthority: true })
    const chained = make({ name: "process", by: between })
    const chain = {
      BELLTOWER_CLUSTER_CERT: file("chain.pem", chained.cert + between.cert),
      BELLTOWER_CLUSTER_KEY: file("c.key", chained.key)
    }
    expect(Option.isSome((yield* readSettings("all", { ...files, ...chain })).clusterCertificates)).toBe(true)
    yield* TestClock.setTime(Date.parse("2124-01-01"))
    expect(yield* refusal(files)).toMatch(/^BELLTOWER_CLUSTER_CERT is valid from \S+Z to \S+Z only\. Replace it\.$/)
    yield* TestClock.setTime(now)
    const mixed = yield* refusal({ ...files, BELLTOWER_CLUSTER_KEY: file("other.key", authority.key) })
    expect(mixed).toMatch(/^BELLTOWER_CLUSTER_KEY and the other two must be a key, its certificate and its authority: .*mismatch/)
  }))
