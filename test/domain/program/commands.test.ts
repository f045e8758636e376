/** The texts about the commands, and the words that follow them. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { helpOf, unknownArgument, unknownCommand, usage, usageOf } from "../../../src/domain/program/CommandHelp.ts"
import { commands, isCommand } from "../../../src/domain/program/Commands.ts"
import { readRoleOptions } from "../../../src/domain/program/RoleOptions.ts"

const names = Object.keys(commands).filter(isCommand)

describe("the texts about commands", () => {
  it("name every command with its arguments and what it does, in lines that fit a terminal", () => {
    for (const name of names) {
      const help = helpOf(name)
      expect(usage.split("\n").some((line) => line.startsWith(`  ${name}`))).toBe(true)
      expect(help).toMatch(new RegExp(`^Usage: node dist/belltower.js ${name}\\b`))
      for (const setting of commands[name].settings) expect(help).toContain(setting)
      expect(help.split("\n").slice(1).filter((line) => line.length > 100 && !line.startsWith("       "))).toEqual([])
    }
    expect(helpOf("invite").split("\n").slice(0, 2)).toEqual([
      "Usage: node dist/belltower.js invite [--uses <1 to 1000>] [--days <1 to 365>]",
      "       node dist/belltower.js invite --end <code>"
    ])
  })

  it("suggest the nearest command for a misspelt one, and never guess wildly", () => {
    expect(unknownCommand("prob")).toContain("Unknown command \"prob\"; did you mean probe? Use one of all, api, runner, probe,")
    expect(unknownCommand("kafka_setup")).toContain("did you mean kafka-setup?")
    expect(unknownCommand("nonsense")).toContain("Unknown command \"nonsense\". Use one of all")
    expect(unknownArgument("api", "--role")).toBe("Unknown argument \"--role\". Usage: node dist/belltower.js api")
  })
})

describe("the words after doctor and config", () => {
  it("name a role and a form, in any order", () => {
    expect(readRoleOptions("doctor", [])).toEqual(Either.right({ role: "all", isJson: false }))
    expect(readRoleOptions("doctor", ["--json", "--role", "probe"])).toEqual(Either.right({ role: "probe", isJson: true }))
  })

  it.each([["--role"], ["--role", "boss"], ["probe"], ["--role", "api", "--verbose"]])(
    "%s %s %s are refused with the usage",
    (...words) => {
      const refused = Either.getOrElse(readRoleOptions("config", words.filter((word) => word !== undefined)), (why) => why)
      expect(refused).toBe(`${usageOf("config")}; roles: all, api, runner, probe`)
    }
  )
})
