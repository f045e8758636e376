/** Opens a private page to a visitor who knows its password, with a limited number of tries. */
import { Duration, Effect, Option } from "effect"
import { Forbidden, NotFound } from "../../../schema/Errors.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { asksForPassword } from "../../domain/page/PagePassword.ts"
import { PagePasswords } from "../../store/page/PagePasswords.ts"
import { Pages } from "../../store/page/Pages.ts"
import { makeTries, type TryLimit } from "../access/Tries.ts"

/** Guessing from many addresses must be slow, too, and yet keep out nobody who knows the password. */
const passwordTries: TryLimit = {
  name: "page-password",
  each: { limit: 10, window: Duration.minutes(15) },
  all: { limit: 300, window: Duration.hours(1), few: 3 }
}

const noPage = new NotFound({ message: "No status page at this address asks for a password" })
const wrongPassword = new Forbidden({ message: "The password is wrong" })

export class OpenPage extends Effect.Service<OpenPage>()("belltower/OpenPage", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const tries = yield* makeTries
    const passwords = yield* PagePasswords

    /** The page that asks visitors for a password; fails with `not_found` for any other. */
    const closed = Effect.fn("OpenPage.closed")(function*(slug: string) {
      const found = yield* Effect.orDie(pages.findAt(slug))
      return Option.isSome(found) && asksForPassword(found.value) ? found.value : yield* noPage
    })

    return {
      closed,
      /** Returns a grant for the visitor's browser. Fails with `forbidden` for a wrong password, and with `rate_limited`. */
      enter: Effect.fn("OpenPage.enter")(function*(slug: string, password: string, address: string) {
        const page = yield* closed(slug)
        yield* tries(passwordTries, { target: page.id, sender: address })
        if (!(yield* passwords.matches(page.id, password))) return yield* wrongPassword
        return { page, grant: yield* passwords.grant(page) }
      }),
      /** Whether a grant that a browser kept still opens the page. */
      isOpenTo: (page: SettledPage, grant: string) =>
        asksForPassword(page) ? passwords.isGranted(page, grant) : Effect.succeed(false)
    }
  }),
  dependencies: [PagePasswords.Default]
}) {}
