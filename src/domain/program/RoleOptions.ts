/** The arguments of commands about one process: `[--role <role>] [--json]`. */
import { Either } from "effect"
import { usageOf } from "./CommandHelp.ts"
import type { CommandName } from "./Commands.ts"

export const roles = ["all", "api", "runner", "probe"] as const
export type Role = (typeof roles)[number]

export interface RoleOptions {
  readonly role: Role
  readonly isJson: boolean
}

/** Left: what is wrong with the words. */
export const readRoleOptions = (command: CommandName, words: ReadonlyArray<string>): Either.Either<RoleOptions, string> =>
  Either.gen(function*() {
    let role: Role = "all"
    const rest = words.filter((word) => word !== "--json")
    for (let at = 0; at < rest.length; at += 2) {
      const [option, value = ""] = rest.slice(at)
      const found = roles.find((one) => one === value)
      if (option !== "--role" || found === undefined) return yield* Either.left(`${usageOf(command)}; roles: ${roles.join(", ")}`)
      role = found
    }
    return { role, isJson: rest.length < words.length }
  })
