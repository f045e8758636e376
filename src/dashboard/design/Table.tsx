/** Tables whose columns are named once. */
import type { ComponentChildren } from "preact"
import { Empty } from "./Parts.tsx"

/** A column's name; `end` aligns its figures to the end. */
type Heading = string | { readonly name: string; readonly end: true }

const Name = ({ of }: { readonly of: Heading }) =>
  typeof of === "string" ? <th scope="col">{of}</th> : <th scope="col" class="end">{of.name}</th>

interface TableProps {
  readonly columns: ReadonlyArray<Heading>
  readonly actions?: boolean
  readonly first?: ComponentChildren
  readonly class?: string
  /** How much room the columns need side by side; default by their number. */
  readonly room?: "few" | "some" | "many" | "most"
  readonly children: ComponentChildren
}

/** A box whose content scrolls sideways, by keyboard, too. */
export const Scroll = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => (
  <div class="scroll" tabindex={0} role="region" aria-label={label}>{children}</div>
)

/** A table of figures, which scrolls sideways in its box. It has no controls. */
export const FigureTable = ({ actions = false, children, class: look = "table", columns, first = null }: TableProps) => (
  <table class={look}>
    <thead>
      <tr>
        {first}
        {columns.map((of) => <Name of={of} />)}
        {actions
          ? (
            <th scope="col">
              <span class="sr">Actions</span>
            </th>
          )
          : null}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)

/** Where its columns have no room side by side, each row becomes a block whose cells are named by their `data-label`. */
export const Table = (props: TableProps) => {
  const count = props.columns.length + (props.actions === true ? 1 : 0)
  const room = count <= 3 ? "few" : count <= 5 ? "some" : count <= 7 ? "many" : "most"
  return (
    <div class={`fit fit-${props.room ?? room}`}>
      <FigureTable {...props} />
    </div>
  )
}

export interface Column<Row extends object> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  readonly class?: string | ((row: Row) => string | undefined)
  /** The name of the cell in a block. Default: that of the column. */
  readonly label?: (row: Row) => string
}

/** The first column leads. */
export type Columns<Row extends object> = readonly [Column<Row>, ...ReadonlyArray<Column<Row>>]

const classOf = <Row extends object>({ class: look }: Pick<Column<Row>, "class">, row: Row) =>
  typeof look === "function" ? look(row) : look

/** A cell; a block leaves out one without a value. */
const Cell = <Row extends object>({ of, row }: { readonly of: Column<Row>; readonly row: Row }) => {
  const content = of.cell(row)
  return (
    <td data-label={of.label?.(row) ?? of.name} class={classOf(of, row)} data-none={content === "–" ? "" : undefined}>
      {content}
    </td>
  )
}

/** A table of records; the cell of the first column leads its block. */
export const RecordTable = <Row extends object>({ action, actions, columns: [first, ...others], idOf, none, of }: {
  readonly of: ReadonlyArray<Row>
  readonly idOf: (row: Row) => string
  readonly columns: Columns<Row>
  readonly actions?: Pick<Column<Row>, "cell" | "class">
  /** The text in its place without records: a title, a sentence, and an action. */
  readonly none?: readonly [title: string, text: string]
  readonly action?: ComponentChildren
}) =>
  none !== undefined && of.length === 0 ?
    <Empty title={none[0]} text={none[1]}>{action}</Empty> :
    (
      <Table columns={[first, ...others].map(({ name }) => name)} actions={actions !== undefined}>
        {of.map((row) => (
          <tr id={idOf(row)}>
            <td class={classOf(first, row) ?? "lead"}>{first.cell(row)}</td>
            {others.map((column) => <Cell of={column} row={row} />)}
            {actions === undefined ? null : <td class={classOf(actions, row)}>{actions.cell(row)}</td>}
          </tr>
        ))}
      </Table>
    )
