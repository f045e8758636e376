/** The command that prints a link by which a person signs in. */
import { Console, Effect, Option, Schema } from "effect"
import { UserId } from "../../schema/Ids.ts"
import { EmailAddress } from "../../schema/people/Person.ts"
import { unknownArgument } from "../domain/program/CommandHelp.ts"
import { programCommand } from "../domain/workspace/ProgramCommand.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import { baseUrlOf } from "../settings/BaseUrlOf.ts"
import type { Settings } from "../settings/Settings.ts"
import { SignInLinks } from "../store/people/SignInLinks.ts"
import { withVault } from "./OnDatabase.ts"

/** Lets operators without a mail server sign people in. Works whether the server is running or not. */
export const printSignInLink = Effect.fn("SignInLinkCommand.print")(function*(settings: Settings, rest: ReadonlyArray<string>) {
  const forOperator = rest.includes("--operator")
  const [given = "", more] = rest.filter((word) => word !== "--operator")
  if (more !== undefined) return yield* new BadSetting({ message: unknownArgument("sign-in-link", more) })
  const wanted = given.startsWith("usr_") && !given.includes("@")
    ? { id: UserId.make(given) }
    : {
      email: yield* Effect.mapError(Schema.decode(EmailAddress)(given), () =>
        new BadSetting({
          message: `A valid email address is required. Example: ${programCommand("sign-in-link ada@example.com")}`
        }))
    }
  const create = Effect.flatMap(SignInLinks, (links) => links.createForOperator(wanted, forOperator))
  const token = yield* withVault(settings, Effect.provide(create, SignInLinks.Default))
  if (Option.isNone(token)) return yield* new BadSetting({ message: `There is no account ${given}` })
  yield* Console.log(`${baseUrlOf(settings)}/auth/link/${token.value}`)
})
