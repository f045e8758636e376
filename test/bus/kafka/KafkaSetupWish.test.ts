/** The words of `belltower kafka-setup`. */
import { expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import type { KafkaSettings } from "../../../src/bus/kafka/KafkaClient.ts"
import { planLines, setupPlan } from "../../../src/bus/kafka/KafkaSetup.ts"
import { readKafkaSetupWish } from "../../../src/bus/kafka/KafkaSetupWish.ts"

const read = (text: string) => readKafkaSetupWish(text === "" ? [] : text.split(" "))

const settings: KafkaSettings = { brokers: [], topicPrefix: "belltower.", partitions: 16, sasl: Option.none() }

it("reads regions, principals and flags", () => {
  expect(read("")).toEqual(Either.right({ regions: new Map(), servers: null, newPasswords: false, isPrinted: false }))
  expect(read("--region eu --region us=User:CN=us,O=Acme --servers User:CN=servers --print --new-passwords")).toEqual(
    Either.right({
      regions: new Map([["eu", null], ["us", "User:CN=us,O=Acme"]]),
      servers: "User:CN=servers",
      newPasswords: true,
      isPrinted: true
    })
  )
})

it.each([
  ["--region", /^Usage/],
  ["eu", /^Usage/],
  ["--nonsense eu", /^Usage/],
  ["--region EU", /"EU" is not the name of a region/],
  ["--region eu=nobody", /"nobody" is not a principal/],
  ["--servers servers", /"servers" is not a principal/]
])("says what is wrong with %s", (text, message) => {
  expect(Either.getOrElse(Either.flip(read(text)), () => "")).toMatch(message)
})

it("prints topics and access without a connection", () => {
  const wish = Either.getOrThrow(read("--region eu --servers User:CN=servers"))
  const lines = planLines(setupPlan({ ...settings, createTopics: false }, wish))
  expect(lines.filter((line) => line.startsWith("topic "))).toHaveLength(6)
  expect(lines).toContainEqual(
    expect.stringMatching(/^topic belltower\.monitor-assignments\.eu partitions=16 cleanup\.policy=compact /)
  )
  expect(lines).toContain(`allow "User:CN=servers" to read, write prefixed topic belltower.`)
  expect(lines).toContain(`allow "User:belltower.probe.eu" to read literal topic belltower.check-requests.eu`)
  expect(lines.filter((line) => line.includes("User:belltower.probe.eu"))).toHaveLength(8)
})
