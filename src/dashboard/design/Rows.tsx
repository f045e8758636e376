/** Rows of fields in an order: a script adds buttons to move, remove and add them. Without one, empty rows are left out. */
import type { ComponentChildren } from "preact"

/**
 * `path` names the list: `levels`, or inside a row of another list, only its own name. The last row is empty: the script takes it as
 * the pattern of new ones.
 */
export const Rows = ({ add, children, path, what }: {
  readonly path: string
  readonly add: string
  /** Noun for a row: "level". */
  readonly what: string
  readonly children: ComponentChildren
}) => (
  <div class="ordered" data-rows={path} data-add={add} data-what={what}>
    {children}
  </div>
)

export const OrderedRow = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="ordered-row" data-row>
    <div class="ordered-fields">{children}</div>
  </div>
)
