/** The failure for a component that does not exist in the workspace. */
import { NotFound } from "../../../schema/Errors.ts"
import type { ComponentId } from "../../../schema/Ids.ts"

export const noComponent = (id: ComponentId) =>
  new NotFound({
    message: `No component ${id} in this workspace`,
    hint: "Read the components of a page with GET /api/v1/pages/{pageId}"
  })
