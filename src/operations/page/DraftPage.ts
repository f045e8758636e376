/** Updates a page, or keeps the update as the page's draft, which its workspace sees and visitors do not. */
import { DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { PageUpdate } from "../../../schema/page/Page.ts"
import { pageFor } from "../../domain/access/WritingUrls.ts"
import { changedSince, draftFields, draftRefusals } from "../../domain/page/PageDraft.ts"
import { pageRefusals } from "../../domain/page/PageRefusals.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { PageDrafts } from "../../store/page/PageDrafts.ts"
import { PageEdits } from "../../store/page/PageEdits.ts"
import { Pages } from "../../store/page/Pages.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { makeCallerName } from "../incident/CallerName.ts"
import { requirePage } from "../NoSuch.ts"
import { changedMeanwhile, ChangePage, lockedPage } from "./ChangePage.ts"
import { ManagePages } from "./ManagePages.ts"

export class DraftPage extends Effect.Service<DraftPage>()("belltower/DraftPage", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const pages = yield* Pages
    const edits = yield* PageEdits
    const drafts = yield* PageDrafts
    const change = yield* ChangePage
    const nameOf = yield* makeCallerName
    const { record } = yield* ManagePages

    const keep = Effect.fn("DraftPage.keep")(function*(caller: Caller, idOrSlug: string, input: PageUpdate) {
      const { workspaceId } = caller
      const { id } = yield* requirePage(pages, workspaceId, idOrSlug)
      const refusals = [...pageRefusals(input), ...draftRefusals(input)]
      if (refusals.length > 0) return yield* validationFailure(refusals)
      const page = yield* lockedPage(edits, workspaceId, id)
      const draft = Option.getOrNull(yield* drafts.find(workspaceId, id))
      const changedAt = changedSince(page, draft, input)
      if (changedAt !== null) return yield* changedMeanwhile(changedAt)
      const fields = draftFields(page, draft, input)
      yield* fields === null
        ? drafts.remove(workspaceId, id)
        : drafts.keep(workspaceId, id, { at: yield* DateTime.now, by: yield* nameOf(caller), fields })
      return pageFor(caller, yield* record(workspaceId, id))
    }, transaction)

    return {
      /** Fails like the change of a page. A draft that differs from the page in nothing is gone. */
      update: (caller: Caller, idOrSlug: string, input: PageUpdate) =>
        input.draft === "keep" ? keep(caller, idOrSlug, input) : change.update(caller, idOrSlug, input)
    }
  }),
  dependencies: [ManagePages.Default, PageDrafts.Default, PageEdits.Default, ChangePage.Default]
}) {}
