/** Decides what a draft of a page holds, and when somebody else was quicker. */
import { DateTime } from "effect"
import type { PageDraft, PageDraftFields, PageUpdate } from "../../../schema/page/Page.ts"
import type { Refusal } from "../Refusal.ts"
import { pageChanges } from "./PageChanges.ts"
import { type SparsePage, withPageDefaults } from "./PageDefaults.ts"
import { editedPage } from "./PageEdit.ts"

/** The visibility and the address of a page are never a draft: they would seem to be in force. */
const atOnce = ["customDomain", "visibility", "password"] as const

export const draftRefusals = (input: PageUpdate): ReadonlyArray<Refusal> =>
  input.draft !== "keep" ? [] : atOnce.filter((name) => input[name] !== undefined).map((path) => ({
    path,
    message: "A draft cannot hold it",
    hint: "Send it without draft"
  }))

/** The page as it will be once its draft and the update are published. */
export const drafted = (page: SparsePage, draft: PageDraft | null, update: PageUpdate): SparsePage => {
  const begun = draft === null ? page : { ...page, ...editedPage(page, draft.fields) }
  return { ...begun, ...editedPage(begun, update) }
}

/** The fields of the draft after an update was added to it; null if none differs from the page. */
export const draftFields = (page: SparsePage, draft: PageDraft | null, update: PageUpdate): PageDraftFields | null => {
  const { customDomain: _, visibility: __, ...fields } = pageChanges(
    withPageDefaults(page),
    withPageDefaults(drafted(page, draft, update))
  )
  return Object.keys(fields).length === 0 ? null : fields
}

/** When the page or its draft was changed after what the caller saw; null if it was not. A draft is published as it was kept. */
export const changedSince = (
  { updatedAt }: Pick<SparsePage, "updatedAt">,
  draft: Pick<PageDraft, "at"> | null,
  { draft: what, since }: Pick<PageUpdate, "draft" | "since">
): DateTime.Utc | null => {
  if (since === undefined) {
    return what === "publish" && draft !== null && DateTime.greaterThan(updatedAt, draft.at) ? updatedAt : null
  }
  const last = draft === null ? updatedAt : DateTime.max(updatedAt, draft.at)
  return DateTime.greaterThan(last, since) ? last : null
}
