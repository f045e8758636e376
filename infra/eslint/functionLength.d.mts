import type { Rule } from "eslint"

/** Reports functions with more than `max` lines of code, except the constructors of services. */
export const functionLength: Rule.RuleModule
