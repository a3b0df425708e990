/* SPDX-License-Identifier: MIT */
/*
 * page_parts.c - takes the files that the Makefile has made of the page's sources.
 */
#include "page/page.h"

#define PART(name, file)                                                                           \
	__asm__(".pushsection .rodata\n"                                                           \
		".globl " #name "\n"                                                               \
		".hidden " #name "\n"                                                              \
		".type " #name ", @object\n" #name ":\n"                                           \
		".incbin \"" PAGE_PARTS "/" file "\"\n"                                            \
		".byte 0\n"                                                                        \
		".size " #name ", . - " #name "\n"                                                 \
		".popsection\n")

PART(page_parts_body, "body.html");
PART(page_parts_style, "page.css");
PART(page_parts_script, "page.js");
PART(page_parts_style_hash, "page.css.hash");
PART(page_parts_script_hash, "page.js.hash");
