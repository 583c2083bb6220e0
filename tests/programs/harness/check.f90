! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! check.h for Fortran: a body is a bind(c) subroutine with one argument, integer(c_int), value.
module check
  use iso_c_binding
  implicit none
  private
  public :: c_int, run_check, expect, finish

  abstract interface
     subroutine check_body(width) bind(c)
       import :: c_int
       integer(c_int), value :: width
     end subroutine check_body
  end interface

  interface
     subroutine check_c(name, body, share) bind(c)
       import :: c_char, c_funptr, c_int
       character(kind=c_char), intent(in) :: name(*)
       type(c_funptr), value :: body
       integer(c_int), value :: share
     end subroutine check_c
     subroutine expect_c(condition, what) bind(c)
       import :: c_char, c_int
       integer(c_int), value :: condition
       character(kind=c_char), intent(in) :: what(*)
     end subroutine expect_c
     subroutine check_done_c() bind(c)
     end subroutine check_done_c
  end interface

contains

  subroutine run_check(name, body)
    character(*), intent(in) :: name
    procedure(check_body) :: body
    call check_c(name // c_null_char, c_funloc(body), 1_c_int)
  end subroutine run_check

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    call expect_c(merge(1_c_int, 0_c_int, condition), what // c_null_char)
  end subroutine expect

  subroutine finish()
    call check_done_c()
  end subroutine finish
end module check
