/** The status page with an id or slug. */
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Pages } from "../../store/page/Pages.ts"
import { orNoSuch } from "../NoSuch.ts"

/** The page with its settings; fails with `not_found`. */
export const requirePage = (pages: Pages, workspaceId: WorkspaceId, idOrSlug: string) =>
  orNoSuch("status page", idOrSlug, pages.find(workspaceId, idOrSlug))
