/** The settings in effect: each with its source, everything that is wrong with them, and no secret. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspectSettings } from "../../src/commands/ConfigCommand.ts"
import { isReadBy, unreadBeginnings } from "../../src/domain/program/SettingRoles.ts"
import { settingLines } from "../../src/domain/program/ShownSetting.ts"
import { settingNames } from "../../src/settings/SettingFiles.ts"
import { settings } from "../../src/settings/Settings.ts"
import { factsOf } from "../../src/settings/SettingTypes.ts"
import { testSecret } from "../support/program/TestInstallation.ts"

const marker = "c0ffee5ecret9f27"

/** A valid value of each secret that must have a form. */
const forms: Readonly<Record<string, string>> = {
  DATABASE_URL: `postgres://bell:${marker}@db.example.com/bell`,
  SMTP_URL: `smtps://bell:${marker}@mail.example.com`,
  BELLTOWER_SECRET: `${testSecret}${marker}`,
  BELLTOWER_METRICS_TOKEN: `${testSecret}${marker}`,
  BELLTOWER_PHONE_WEBHOOK_SECRET: `whsec_${marker.repeat(3)}`,
  BELLTOWER_SECRET_COMMAND: `["/bin/echo", "${marker}"]`
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-config-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const shown = (name: string, { settings: all }: Effect.Effect.Success<ReturnType<typeof inspectSettings>>) =>
  all.find((one) => one.name === name)

describe("belltower config", () => {
  it.scoped("shows each setting of the role with its value and its source", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "url")
      writeFileSync(path, "https://status.example.com\n")
      const found = yield* inspectSettings("all", {
        PORT: "9000",
        BELLTOWER_URL_FILE: path,
        BELLTOWER_SECRET_COMMAND: "[\"/bin/true\"]"
      })
      expect(found.problems).toEqual([])
      expect(shown("PORT", found)).toEqual({ name: "PORT", value: "9000", source: "environment" })
      expect(shown("BELLTOWER_URL", found)).toEqual({
        name: "BELLTOWER_URL",
        value: "https://status.example.com",
        source: `file ${path}`
      })
      expect(shown("BELLTOWER_HOST", found)).toEqual({ name: "BELLTOWER_HOST", value: "0.0.0.0", source: "default" })
      expect(shown("DATABASE_POOL", found)).toEqual({ name: "DATABASE_POOL", value: "10", source: "default" })
      expect(shown("BELLTOWER_ISOLATION", found)).toEqual({ name: "BELLTOWER_ISOLATION", value: "required", source: "default" })
      expect(shown("BELLTOWER_SECRET", found)?.source).toBe("command BELLTOWER_SECRET_COMMAND")
      expect(shown("SMTP_URL", found)).toEqual({ name: "SMTP_URL", value: null, source: "default" })
    }))

  it.effect("shows a probe only what a probe reads", () =>
    Effect.gen(function*() {
      const found = yield* inspectSettings("probe", { KAFKA_BROKERS: "kafka:9092" })
      const names = found.settings.map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(["KAFKA_BROKERS", "BELLTOWER_PROBE_TOKEN", "BELLTOWER_CANARIES"]))
      expect(names.filter((name) => /^(?:DATABASE|STRIPE|SMTP|BELLTOWER_SECRET)/.test(name))).toEqual([])
      const all = [...yield* settingNames(settings)]
      expect(unreadBeginnings.filter((beginning) => !all.some((name) => name.startsWith(beginning)))).toEqual([])
      expect(all.filter((name) => !isReadBy("all", name))).toEqual(["BELLTOWER_PROBE_TOKEN"])
    }))

  it.effect("lists everything that is wrong, and what is unknown", () =>
    Effect.gen(function*() {
      const { problems, unknown } = yield* inspectSettings("api", {
        PORT: "abc",
        DATABASE_POOL: "0",
        BELLTOWER_AI_KEY: marker,
        BELLTOWER_METRICS_TOKEN_FILE: "/nowhere",
        BELLTOWER_ALOW_TARGETS: "10.0.0.0/8"
      })
      expect(problems.map((line) => line.split(" ")[0])).toEqual([
        "BELLTOWER_METRICS_TOKEN_FILE",
        "PORT",
        "DATABASE_POOL",
        "BELLTOWER_AI_PROVIDER",
        "KAFKA_BROKERS",
        "BELLTOWER_SECRET",
        "DATABASE_URL"
      ])
      expect(unknown).toEqual(["BELLTOWER_ALOW_TARGETS is unknown; did you mean BELLTOWER_ALLOW_TARGETS?"])
      expect([...problems, ...unknown].join()).not.toContain(marker)
    }))

  it.effect("shows no secret of any setting, valid or not", () =>
    Effect.gen(function*() {
      const names = [...yield* settingNames(settings)]
      const secret = names.filter((name) => factsOf(name).isSecret)
      expect(secret).toEqual(expect.arrayContaining([
        ...Object.keys(forms),
        "BELLTOWER_SECRET_PREVIOUS",
        "BELLTOWER_PROBE_TOKEN",
        "BELLTOWER_AI_KEY",
        "BELLTOWER_TWILIO_AUTH_TOKEN",
        "BELLTOWER_GOOGLE_CLIENT_SECRET",
        "BELLTOWER_GITHUB_CLIENT_SECRET",
        "KAFKA_SASL_PASSWORD",
        "STRIPE_SECRET_KEY",
        "STRIPE_WEBHOOK_SECRET"
      ]))
      const urls = ["BELLTOWER_AI_URL", "BELLTOWER_TELEGRAM_URL", "BELLTOWER_CANARIES"]
      const given = Object.fromEntries([
        ...secret.map((name) => [name, forms[name] ?? marker]),
        ...urls.map((name) => [name, `https://bell:${marker}@example.com/x?key=${marker}`])
      ])
      for (const environment of [given, Object.fromEntries(secret.map((name) => [name, `wrong ${marker}`]))]) {
        for (const role of ["all", "probe"] as const) {
          const found = yield* inspectSettings(role, environment)
          expect(JSON.stringify(found)).not.toContain(marker)
          expect(settingLines(found.settings).join("\n")).not.toContain(marker)
          expect(found.settings.length).toBeGreaterThan(10)
        }
      }
    }))

  it("knows a secret where it is declared: no setting is redacted in another way", () => {
    const root = join(import.meta.dirname, "../../src/settings")
    const files = readdirSync(root).filter((name) => /Setting.*\.ts$/.test(name) && name !== "SettingTypes.ts")
    const other = files.flatMap((name) =>
      readFileSync(join(root, name), "utf8").split("\n").filter((line) =>
        /Config\.(?:redacted|secret)\(|, Redacted\.make\)/.test(line) && !line.includes("pemFile(")
      )
    )
    expect([files.length > 3, other]).toEqual([true, []])
  })
})
