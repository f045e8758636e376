/** Finds a status page by its id or slug or fails with `not_found`. */
import { Effect, Option } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Pages } from "../../store/page/Pages.ts"

export const noPage = (idOrSlug: string) =>
  new NotFound({
    message: `No status page ${idOrSlug} in this workspace`,
    hint: "Send the id or slug of a page. List pages with GET /api/v1/pages"
  })

/** The page with its settings; fails with `not_found`. */
export const requirePage = (pages: Pages, workspaceId: WorkspaceId, idOrSlug: string) =>
  Effect.flatMap(
    pages.find(workspaceId, idOrSlug),
    Option.match({ onNone: () => Effect.fail(noPage(idOrSlug)), onSome: Effect.succeed })
  )
