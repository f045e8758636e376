/** Rules for paper and PDF: what a view says, in light colours, without what only a screen can do. `inLight` are the light variables. */
export const printStyle = (inLight: string): string => `
@media print{
:root:root:root{${inLight}--shadow:none}
@page{margin:14mm}
html,body{background:none;font-size:12px}
.main nav:not(.crumbs),.side,.top,.skip,.notice,#captured-mail,.calls,.acts,.head .actions,.tabs,.pager,.live,.first,.more:not([open]),.copy,dialog,[popover]{display:none!important}
form:not(:has(table,ol,.rows,.md-both)),button,.button,summary .button,[data-copy]{display:none!important}
.panel:has(form):not(:has(table,ol,dl,svg,.rows,.plain-list,.md-both)){display:none!important}
form:has(.md-both) :is(.field,.md-bar,.call){display:none!important}
.md-both>.md-shown{position:static;min-height:0;max-height:none;padding:0;overflow:visible;border:0;background:none}
.main :is(input,select,textarea),td:has(>details.remove){display:none!important}
.shell{display:block}
.main{max-width:none;padding:0}
.panel,.card{box-shadow:none}
a{color:inherit}
.panel>header,h1,h2,h3{break-after:avoid}
tr,li,figure,dl>div,.up{break-inside:avoid}
thead{display:table-header-group}
svg,.badge,.dot,i{print-color-adjust:exact;-webkit-print-color-adjust:exact}
details::details-content{content-visibility:visible}
.scroll,pre{overflow:visible;max-height:none;white-space:pre-wrap}
}
`
