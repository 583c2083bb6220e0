! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Target regions from Fortran, on the host, also with absent optional arguments.
module bodies
  use check
  use omp_lib
  implicit none
contains

  subroutine add_one(a, scalar)
    integer, optional, allocatable :: a(:)
    integer, optional :: scalar
    !$omp target has_device_addr(a) map(tofrom: scalar)
    if (present(a)) a = a + 1
    if (present(scalar)) scalar = scalar + 1
    !$omp end target
  end subroutine add_one

  subroutine optional_arguments(width) bind(c)
    integer(c_int), value :: width
    integer, allocatable :: a(:)
    integer :: scalar
    !$omp parallel num_threads(width) private(a, scalar)
    allocate (a(10), source=omp_get_thread_num())
    scalar = 5
    call add_one(a, scalar)
    call add_one(scalar=scalar)
    call add_one(a)
    call add_one()
    call expect(all(a == omp_get_thread_num() + 2), "array")
    call expect(scalar == 7, "scalar")
    !$omp end parallel
  end subroutine optional_arguments

end module bodies

program target_fortran
  use bodies
  call run_check("optional-arguments", optional_arguments)
  call finish()
end program target_fortran
