/* SPDX-License-Identifier: MIT */
/*
 * page_parts.h - the page's own sources, as they are built into the program.
 *
 * In: body.html, and the style sheets and scripts of this folder, each kind joined to one text by the
 * Makefile. Out: texts, and what Content-Security-Policy calls their hashes.
 */
#ifndef PAGE_PARTS_H
#define PAGE_PARTS_H

/* Each ends with a NUL. */
extern const char page_parts_body[], page_parts_style[], page_parts_script[];
extern const char page_parts_style_hash[], page_parts_script_hash[];

#endif
