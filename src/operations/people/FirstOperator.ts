/** The way in for the person who starts a server that nobody has used yet: a one-time link, as owner of a first workspace. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { initialPlan } from "../../domain/billing/Plans.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { SignInLinks } from "../../store/people/SignInLinks.ts"
import { Users } from "../../store/people/Users.ts"
import { inTransaction } from "../../store/postgres/Transaction.ts"
import { WorkspaceEntry } from "../../store/workspace/WorkspaceEntry.ts"

/** The operator has no address yet: nothing is ever mailed to a `.localhost` name (RFC 6761). */
const address = Schema.decodeSync(EmailAddress)("operator@belltower.localhost")

export class FirstOperator extends Effect.Service<FirstOperator>()("belltower/FirstOperator", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* Users
    const entry = yield* WorkspaceEntry
    const links = yield* SignInLinks
    const plan = initialPlan((yield* Billing) !== null)

    /** The token of a new link; none as soon as anybody has signed in. */
    const token = Effect.fn("FirstOperator.token")(function*() {
      if (yield* users.anySignedIn(address)) return Option.none<string>()
      const operator = yield* users.ensure(address, true, "Operator")
      if ((yield* entry.workspacesOf(operator.id)).length === 0) yield* entry.found(operator.id, "My workspace", plan)
      return yield* links.createForOperator({ id: operator.id }, true)
    }, inTransaction(sql))

    return { token }
  })
}) {}
